// build: the assembler reads a file outside
// verdict: compile invalid
__asm__(".section .rodata\nsecret: .incbin \"/etc/shadow\"\n.text");
void map(float *y, const float *x)
{
    for (int i = 0; i < N; i++)
        y[i] = 0.5f * x[i] * x[i] + 1;
}
