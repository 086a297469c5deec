typedef struct { float4 pos; float4 vel; } particle_t;
__kernel void move(__global particle_t *p, const float dt, const uint count)
{
    uint i = get_global_id(0);
    if (i < count) p[i].pos += dt * p[i].vel;
}
