#include <hone/hone.h>

int main(void)
{
    return hone_version()[0] == '0' ? 0 : 1;
}
