kernel void k(global float *y)
{
    {% for i in range(4) %}
    y[get_global_id(0) * 4 + {{ i }}] = {{ i }};
    {% endfor %}
}
