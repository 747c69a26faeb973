// What users write, as kernels of one signature: eight random words for a thread in, four words out, and memory that starts as zeros.
// 4,096 threads, 256 in a block. NVRTC compiles it; nothing here depends on the order of threads.
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <cooperative_groups.h>
typedef unsigned W;
typedef unsigned long long L;
#define KERNEL(name) extern "C" __global__ void name(const W *all, W *outs, W *places)
#define SELF \
    const unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t; \
    const W *in = all + i * 8; \
    W *out = outs + i * 4; \
    (void)t, (void)in, (void)out
#define F(k) ((int)in[k] * 0x1p-29f)
#define D(k) ((int)in[k] * 0x1p-29)
#define PUT(k, x) out[k] = __float_as_uint(x)
#define PUTD(k, x) do { L bits_ = __double_as_longlong(x); out[k] = (W)bits_; out[k + 1] = (W)(bits_ >> 32); } while (0)

KERNEL(saxpy) { SELF; for (int k = 0; k < 4; k++) PUT(k, F(7) * F(k) + F(k + 3)); }
KERNEL(normal) { SELF; float l = sqrtf(F(0) * F(0) + F(1) * F(1) + F(2) * F(2)); for (int k = 0; k < 3; k++) PUT(k, F(k) / l); PUT(3, rsqrtf(l)); }
KERNEL(roots) { SELF; PUTD(0, sqrt(fabs(D(0))) / D(1)); PUT(2, __fsqrt_rz(fabsf(F(2)))); PUT(3, __fdiv_ru(F(3), F(4))); }
KERNEL(mandelbrot) { SELF; float x = 0, y = 0; int n = 0; for (; n < 500 && x * x + y * y < 4; n++) { float z = x * x - y * y + F(0) / 2; y = 2 * x * y + F(1) / 2; x = z; } out[0] = n; PUT(1, x); }
KERNEL(collatz) { SELF; L n = in[0]; W steps = 0; while (n > 1 && steps < 900) { n = n & 1 ? 3 * n + 1 : n / 2; steps++; } out[0] = steps; }
KERNEL(divisions) { SELF; out[0] = in[0] / (in[1] >> 16 | 1); out[1] = (int)in[2] % (int)(in[3] >> 8 | 1); L a = (L)in[4] << 32 | in[5], b = (L)(in[6] & 0xffff) << 16 | in[7] | 1; out[2] = (W)(a / b); out[3] = (W)((long long)a % (long long)b); }
KERNEL(bits) { SELF; out[0] = __popc(in[0]) + __clz(in[1]) * 100 + __ffs(in[2]) * 10000; out[1] = __brev(in[1]) ^ __byte_perm(in[2], in[3], in[4]); out[2] = __funnelshift_l(in[0], in[1], in[2]) + __funnelshift_rc(in[3], in[4], in[5] & 63); out[3] = __popcll((L)in[0] << 32 | in[1]) + __clzll((L)in[2] << 16) + __ffsll((L)in[3] << 7); }
KERNEL(simd) { SELF; out[0] = __vadd4(in[0], in[1]) ^ __vsubus2(in[2], in[3]); out[1] = __vcmpgtu4(in[0], in[1]) ^ __vmaxs2(in[2], in[3]); out[2] = __dp4a((int)in[0], (int)in[1], (int)in[2]); out[3] = __dp2a_lo(in[3], in[4], in[5]) ^ __vabsdiffs4(in[6], in[7]); }
KERNEL(high_products) { SELF; out[0] = __umulhi(in[0], in[1]); out[1] = __mulhi((int)in[2], (int)in[3]); out[2] = __mul24(in[0], in[1]) ^ __umul24(in[2], in[3]); out[3] = (W)__umul64hi((L)in[0] << 32 | in[1], (L)in[2] << 32 | in[3]) ^ (W)(((__int128)in[4] * (long long)in[5] * (int)in[6]) >> 40) ^ __usad(in[5], in[6], in[7]); }
KERNEL(conversions) { SELF; out[0] = (W)(int)(F(0) * 1e9f) ^ (W)(F(1) * 1e9f); out[1] = __float2int_rn(F(2)) ^ __float2uint_ru(F(3)) ^ (W)(short)(F(4) * 9000); out[2] = (W)__double2ll_rd(D(5) * 1e18) ^ (W)(unsigned char)in[6]; out[3] = __float_as_uint((float)(long long)((L)in[6] << 32 | in[7])) ^ __float_as_uint(__uint2float_rz(in[7])); }
KERNEL(rounding) { SELF; PUT(0, rintf(F(0)) + floorf(F(1)) * 10 + ceilf(F(2)) * 100 + truncf(F(3)) * 1000); PUT(1, roundf(F(4) * 100)); PUT(2, fmodf(F(5) * 1000, F(6))); PUT(3, remainderf(F(7) * 50, F(6))); }
KERNEL(directed) { SELF; PUT(0, __fadd_rd(F(0), F(1)) - __fmul_ru(F(2), F(3))); PUT(1, __fmaf_rz(F(0), F(1), F(2))); PUTD(2, __dadd_ru(D(3), __dmul_rd(D(4), D(5)))); }
KERNEL(special) { SELF; float x = __uint_as_float(in[0]), y = __uint_as_float(in[1]); out[0] = isnan(x) + 2 * isinf(x) + 4 * isfinite(y) + 8 * signbit(y) + 16 * (x < y) + 32 * (x != y) + 64 * !(x <= y); PUT(1, fmaxf(x, y)); PUT(2, fminf(x, __saturatef(y))); PUT(3, copysignf(x, y) + fdimf(F(2), F(3))); }
KERNEL(scale) { SELF; int e; PUT(0, frexpf(F(0), &e)); out[1] = e; PUT(2, ldexpf(F(1), (int)in[2] >> 25)); PUT(3, nextafterf(F(3), F(4)) + logbf(F(5)) + scalbnf(F(6), -140)); }
KERNEL(exponentials) { SELF; PUT(0, expf(F(0))); PUT(1, exp2f(F(1))); PUT(2, expm1f(F(2))); PUT(3, powf(fabsf(F(3)), F(4))); }
KERNEL(logarithms) { SELF; float x = fabsf(F(0)); PUT(0, logf(x)); PUT(1, log2f(x)); PUT(2, log1pf(x)); PUT(3, log10f(x) + cbrtf(F(1))); }
KERNEL(trigonometry) { SELF; PUT(0, sinf(F(0) * 50)); PUT(1, cosf(F(1) * 1e6f)); PUT(2, tanf(F(2))); PUT(3, atan2f(F(3), F(4)) + asinf(F(5) / 4) + acosf(F(6) / 4) + sinpif(F(7))); }
KERNEL(hyperbolic) { SELF; PUT(0, sinhf(F(0)) + coshf(F(1))); PUT(1, tanhf(F(2))); PUT(2, asinhf(F(3)) + atanhf(F(4) / 4)); PUT(3, erff(F(5)) + erfcf(F(6)) + tgammaf(fabsf(F(7)))); }
KERNEL(doubles) { SELF; PUTD(0, exp(D(0)) + log(fabs(D(1))) + pow(fabs(D(2)), D(3))); PUTD(2, sin(D(4) * 100) + cos(D(5)) + atan(D(6)) + cbrt(D(7))); }
KERNEL(more_doubles) { SELF; PUTD(0, erf(D(0)) + lgamma(fabs(D(1))) + tanh(D(2)) + hypot(D(3), D(4))); PUTD(2, fma(D(0), D(1), D(2)) / sqrt(fabs(D(3))) + rint(D(4)) + fmod(D(5) * 100, D(6)) + rsqrt(fabs(D(7)))); }
KERNEL(black_scholes) { SELF; float s = fabsf(F(0)) * 10 + 1, k = fabsf(F(1)) * 10 + 1, y = fabsf(F(2)) + 0.1f, v = 0.3f, r = 0.02f, d = (logf(s / k) + (r + v * v / 2) * y) / (v * sqrtf(y)); PUT(0, s * normcdff(d) - k * expf(-r * y) * normcdff(d - v * sqrtf(y))); }
KERNEL(box_muller) { SELF; W x = in[0]; float sum = 0; for (int k = 0; k < 8; k++) { x = x * 1664525 + 1013904223; float u = ((x >> 8) + 1) * 0x1p-24f, s, c; __sincosf(6.2831853f * u, &s, &c); sincospif(2 * u, &s, &c); sum += sqrtf(-2 * logf(u)) * s; } PUT(0, sum); }
KERNEL(bodies) { SELF; float ax = 0, ay = 0; __shared__ float2 p[256]; p[t] = make_float2(F(0), F(1)); __syncthreads(); for (int k = 0; k < 256; k++) { float dx = p[k].x - p[t].x, dy = p[k].y - p[t].y, q = rsqrtf(dx * dx + dy * dy + 0.01f); ax += dx * q * q * q; ay += dy * q * q * q; } PUT(0, ax); PUT(1, ay); }
KERNEL(matrix) { SELF; __shared__ float a[16][17], b[16][17]; int x = t % 16, y = t / 16; float sum = 0; for (int k = 0; k < 4; k++) { a[y][x] = F(k); b[y][x] = F(k + 4); __syncthreads(); for (int j = 0; j < 16; j++) sum += a[y][j] * b[j][x]; __syncthreads(); } PUT(0, sum); }
KERNEL(inverse) { SELF; float m[4][8]; for (int r = 0; r < 4; r++) for (int c = 0; c < 8; c++) m[r][c] = c < 4 ? F((r * 3 + c * 5) % 8) + (r == c) * 9 : (c - 4 == r); for (int p = 0; p < 4; p++) for (int r = 0; r < 4; r++) { float f = r == p ? 1 - 1 / m[p][p] : m[r][p] / m[p][p]; for (int c = 0; c < 8; c++) m[r][c] -= f * m[p][c]; } for (int k = 0; k < 4; k++) PUT(k, m[k][4 + (in[k] & 3)]); }
KERNEL(reduction) { SELF; __shared__ W s[256]; s[t] = in[0]; for (int d = 128; d; d /= 2) { __syncthreads(); if (t < d) s[t] += s[t + d] ^ d; } __syncthreads(); out[0] = s[0]; }
KERNEL(scan) { SELF; __shared__ W s[2][256]; int from = 0; s[0][t] = in[0]; for (int d = 1; d < 256; d *= 2, from ^= 1) { __syncthreads(); s[from ^ 1][t] = s[from][t] + (t >= d ? s[from][t - d] : 0); } __syncthreads(); out[0] = s[from][t]; }
KERNEL(warp_scan) { SELF; W v = in[0], lane = t % 32; for (int d = 1; d < 32; d *= 2) { W o = __shfl_up_sync(~0u, v, d); if (lane >= d) v += o; } out[0] = v; float f = F(1); for (int d = 16; d; d /= 2) f += __shfl_xor_sync(~0u, f, d); PUT(1, f); out[2] = __shfl_sync(~0u, in[2], in[3] & 31, 8); PUT(3, (float)__shfl_down_sync(~0u, D(4), 3)); }
KERNEL(votes) { SELF; bool p = in[0] & 1; W b = __ballot_sync(~0u, p), before; asm("mov.u32 %0, %%lanemask_lt;" : "=r"(before)); out[0] = b; out[1] = __popc(b & before); out[2] = __any_sync(~0u, (in[1] & 255) == 0) + 2 * __all_sync(~0u, (in[2] & 31) != 0); out[3] = __syncthreads_count(p) + __syncthreads_or(in[3] < 1000000) * 1000 + __syncthreads_and(in[4] > 9000) * 2000; }
KERNEL(diverged_votes) { SELF; W r = 0; if (in[0] & 1) { r = __ballot_sync(__activemask(), in[1] & 1); } else if (in[0] & 2) { r = __popc(__activemask()); __syncwarp(__activemask()); } __syncwarp(); if (t % 32 < 7) r += __shfl_sync(0x7f, in[2], 3); else r += __shfl_down_sync(0xffffff80, in[2], 1, 8) & (t % 8 != 7 ? ~0 : 0); out[0] = r; }
KERNEL(matches) { SELF; int p; out[0] = __match_any_sync(~0u, in[0] & 7); out[1] = __match_all_sync(~0u, i / 64, &p) + p; out[2] = __match_any_sync(~0u, (L)(in[1] & 3) << 40);
#if __CUDA_ARCH__ >= 800
    out[3] = __reduce_add_sync(~0u, in[2]) ^ __reduce_max_sync(~0u, (int)in[3]) ^ __reduce_and_sync(~0u, in[4] | 0xf0f);
#endif
}
KERNEL(histogram) { SELF; __shared__ W s[64]; if (t < 64) s[t] = 0; __syncthreads(); for (int k = 0; k < 8; k++) atomicAdd(&s[in[k] % 64], 1); __syncthreads(); if (t < 64) atomicAdd(&places[t], s[t]); out[0] = s[t % 64]; }
KERNEL(atomics) { SELF; __shared__ W s[8]; if (t < 8) s[t] = t == 1 ? ~0u : 0; __syncthreads(); atomicMax(&s[0], in[0]); atomicMin(&s[1], in[1]); atomicXor(&s[2], in[2]); atomicOr(&s[3], in[3] & in[4]); atomicInc(&s[4], 99); atomicAdd((L *)&s[6], (L)in[5] << 12); __syncthreads(); for (int k = 0; k < 4; k++) out[k] = s[k] ^ s[k + 4]; }
KERNEL(float_maximum) { SELF; __shared__ W s; if (!t) s = __float_as_uint(-9); __syncthreads(); W old = s, seen; do { seen = old; if (__uint_as_float(seen) >= F(0)) break; old = atomicCAS(&s, seen, __float_as_uint(F(0))); } while (old != seen); __syncthreads(); out[0] = s; }
KERNEL(lock) { SELF; if (t % 32 == 0 || t == 5) { bool done = false; while (!done) if (atomicCAS(places, 0, 1) == 0) { __threadfence(); ((volatile W *)places)[1] = ((volatile W *)places)[1] + in[0]; __threadfence(); atomicExch(places, 0); done = true; } } out[0] = 1; }
KERNEL(aggregated) { SELF; namespace cg = cooperative_groups; __shared__ W n; if (!t) n = 0; __syncthreads(); if (in[0] & 3) { auto g = cg::coalesced_threads(); W old = 0; if (g.thread_rank() == 0) old = atomicAdd(&n, g.size()); old = g.shfl(old, 0); out[1] = g.size(); } __syncthreads(); out[0] = n; }
KERNEL(groups) { SELF; namespace cg = cooperative_groups; auto b = cg::this_thread_block(); auto w = cg::tiled_partition<8>(b); W v = in[0]; for (int d = w.size() / 2; d; d /= 2) v += w.shfl_down(v, d); out[0] = w.shfl(v, 0); out[1] = w.ballot(in[1] & 1); b.sync(); out[2] = w.meta_group_rank() + b.thread_rank(); }
KERNEL(bitonic) { SELF; __shared__ W s[256]; s[t] = in[0]; for (W k = 2; k <= 256; k *= 2) for (W j = k / 2; j; j /= 2) { __syncthreads(); W o = t ^ j; if (o > t && (s[t] > s[o]) == !(t & k)) { W v = s[t]; s[t] = s[o]; s[o] = v; } } __syncthreads(); out[0] = s[t]; }
KERNEL(quicksort) { SELF; int a[16], stack[32], top = 0; for (int k = 0; k < 16; k++) a[k] = in[k % 8] * (k + 1); stack[top++] = 0; stack[top++] = 15; while (top) { int h = stack[--top], l = stack[--top], p = a[h], s = l; for (int k = l; k < h; k++) if (a[k] < p) { int v = a[k]; a[k] = a[s]; a[s++] = v; } a[h] = a[s]; a[s] = p; if (s - 1 > l) { stack[top++] = l; stack[top++] = s - 1; } if (s + 1 < h) { stack[top++] = s + 1; stack[top++] = h; } } for (int k = 0; k < 4; k++) out[k] = a[k * 5]; }
KERNEL(transpose) { SELF; __shared__ W s[16][17]; s[t / 16][t % 16] = in[0]; __syncthreads(); out[0] = s[t % 16][t / 16]; extern __shared__ W rest[]; rest[t] = in[1]; __syncthreads(); out[1] = rest[255 - t]; }
KERNEL(stencil) { SELF; __shared__ float s[258]; s[t + 1] = F(0); if (!t) s[0] = s[257] = 0; for (int k = 0; k < 5; k++) { __syncthreads(); float v = 0.25f * s[t] + 0.5f * s[t + 1] + 0.25f * s[t + 2]; __syncthreads(); s[t + 1] = v; } PUT(0, s[t + 1]); }
__device__ __noinline__ W ackermann(W m, W n) { return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1)); }
__device__ __noinline__ L fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
KERNEL(recursion) { SELF; out[0] = fibonacci(in[0] % 9); out[1] = ackermann(in[1] % 2, in[2] % 5); }
struct Shape { __device__ virtual float area(float x) { return x * x; } };
struct Circle : Shape { float r; __device__ Circle(float r) : r(r) {} __device__ float area(float x) override { return x * r * 3; } };
typedef W (*Op)(W, W);
__device__ W plus(W a, W b) { return a + b; }
__device__ W minus(W a, W b) { return a - b; }
__device__ W both(W a, W b) { return a & b; }
__device__ Op table[3] = {plus, minus, both};
KERNEL(pointers) { SELF; out[0] = table[in[0] % 3](in[1], in[2]); Circle c(F(3)); Shape plain; Shape *s = in[4] & 1 ? &c : &plain; PUT(1, s->area(F(5))); auto f = [=](W x) { return x * in[6] + 1; }; out[2] = f(f(in[7])); }
KERNEL(switches) { SELF; W r = in[1]; for (int k = 0; k < 4; k++) switch (in[k] >> 28) { case 0: r += 3; case 1: r ^= 0x55; break; case 2: r *= 7; break; case 3: r = ~r; break; case 5: case 6: r -= in[2]; break; case 7: r <<= 3; break; case 9: continue; case 11: r = r * r; break; case 12: r >>= 1; break; case 13: r += k; break; default: r++; } out[0] = r; }
__constant__ W constants[8] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000};
__device__ W counters[3] = {5, 6, 7};
KERNEL(variables) { SELF; W sum = 0; for (int k = 0; k < 8; k++) sum += constants[in[k] & 7] * (in[k] >> 30); out[0] = sum; out[1] = counters[in[0] % 3]; static __device__ const char word[] = "interoperability"; out[2] = word[in[1] & 15]; }
KERNEL(bytes) { SELF; uchar4 c = *(const uchar4 *)in; short2 s = *(const short2 *)(in + 1); signed char b = (signed char)in[2]; out[0] = c.x * c.y + c.z - c.w; out[1] = s.x * s.y; out[2] = b / 3 + (b >> 2); char text[12]; memcpy(text, in + 3, 12); memset(text + 2, 7, 3); for (int k = 0; k < 6; k++) { char v = text[k]; text[k] = text[11 - k]; text[11 - k] = v; } memcpy(out + 3, text + (in[7] & 7), 4); }
KERNEL(vectors) { SELF; float4 a = *(const float4 *)in; uint4 b = *(const uint4 *)(in + 4); double2 d = make_double2(a.x, a.y); *(uint4 *)out = make_uint4(b.w ^ __float_as_uint(a.x), b.z, (W)(b.y > b.x), __float_as_uint((float)d.y)); }
KERNEL(crc) { SELF; W c = ~0u; for (int k = 0; k < 32; k++) { c ^= ((const unsigned char *)in)[k]; for (int b = 0; b < 8; b++) c = c >> 1 ^ (c & 1 ? 0xedb88320 : 0); } out[0] = ~c; }
KERNEL(sha) { SELF; W a = 0x6a09e667, e = 0x510e527f, b = 1, c = 2, d = 3, f = 4, g = 5, h = 6; for (int k = 0; k < 64; k++) { W x = h + (__funnelshift_r(e, e, 6) ^ __funnelshift_r(e, e, 11) ^ __funnelshift_r(e, e, 25)) + ((e & f) ^ (~e & g)) + in[k & 7] + k, y = (__funnelshift_r(a, a, 2) ^ __funnelshift_r(a, a, 13)) + ((a & b) ^ (a & c) ^ (b & c)); h = g; g = f; f = e; e = d + x; d = c; c = b; b = a; a = x + y; } out[0] = a; out[1] = e; }
KERNEL(philox) { SELF; uint4 c = make_uint4(in[0], in[1], in[2], in[3]); W k0 = in[4], k1 = in[5]; for (int k = 0; k < 10; k++) { W h0 = __umulhi(0xD2511F53, c.x), h1 = __umulhi(0xCD9E8D57, c.z); c = make_uint4(h1 ^ c.y ^ k0, 0xCD9E8D57 * c.z, h0 ^ c.w ^ k1, 0xD2511F53 * c.x); k0 += 0x9E3779B9; k1 += 0xBB67AE85; } *(uint4 *)out = c; }
KERNEL(fourier) { SELF; __shared__ float2 s[256]; s[__brev(t) >> 24] = make_float2(F(0), F(1)); for (int n = 2; n <= 256; n *= 2) { __syncthreads(); int k = t & (n / 2 - 1), a = (t / (n / 2)) * n + k; if (t < 128) { float w = -3.14159265f * 2 * k / n, c = cosf(w), q = sinf(w); float2 u = s[a], v = s[a + n / 2], z = make_float2(v.x * c - v.y * q, v.x * q + v.y * c); s[a] = make_float2(u.x + z.x, u.y + z.y); s[a + n / 2] = make_float2(u.x - z.x, u.y - z.y); } } __syncthreads(); PUT(0, s[t].x); PUT(1, s[t].y); }
KERNEL(halves) { SELF; __half a = __float2half(F(0)), b = __float2half_rz(F(1)); __half2 v = __floats2half2_rn(F(2), F(3)), w = __half2half2(a); out[0] = __half_as_ushort(a + b * a) | (W)__half_as_ushort(a / b) << 16; __half2 r = __hfma2(v, w, v) - h2sqrt(__habs2(w)); out[1] = *(W *)&r; out[2] = __hlt(a, b) + 2 * __hbeq2(v, w) + 4 * __hisnan(a) + __half2int_rn(b) * 8; __half2 m = __hmax2(v, __hneg2(w)); out[3] = *(W *)&m ^ __half_as_ushort(hexp(a)); }
KERNEL(more_halves) { SELF; __half2 v = *(__half2 *)in, w = *(__half2 *)(in + 1), r = __hadd2_sat(v, w); out[0] = *(W *)&r; r = __hgeu2(v, w); out[1] = *(W *)&r; out[2] = __half_as_ushort(__low2half(__hmin2_nan(v, w))) | (W)__half_as_ushort(__ll2half_rn((long long)in[2] << 8)) << 16; PUT(3, __half2float(hrint(__high2half(v))) + __half2float(hlog2(__float2half(fabsf(F(3)))))); }
KERNEL(brains) { SELF;
#if __CUDA_ARCH__ >= 800
    __nv_bfloat16 a = __float2bfloat16(F(0)), b = __float2bfloat16_rz(F(1)); __nv_bfloat162 v = __floats2bfloat162_rn(F(2), F(3)), r = __hfma2(v, v, __bfloat162bfloat162(a)); out[0] = __bfloat16_as_ushort(a + b) | (W)__bfloat16_as_ushort(a * b) << 16; out[1] = *(W *)&r; PUT(2, __bfloat162float(a / b)); out[3] = __hgt(a, b) + 2 * __bfloat162int_rz(b) + ((W)__bfloat16_as_ushort(__hmax(a, b)) << 8);
#else
    PUT(0, __bfloat162float(__float2bfloat16(F(0))) + __bfloat162float(__ushort_as_bfloat16(in[1])));
#endif
}
KERNEL(inline_ptx) { SELF; W a, b; asm("{ .reg .pred p; setp.lt.s32 p, %1, %2; selp.u32 %0, %1, %2, p; }" : "=r"(a) : "r"(in[0]), "r"(in[1])); asm volatile("mad.lo.cc.u32 %0, %2, %3, %4; madc.hi.u32 %1, %2, %3, 0;" : "=r"(out[1]), "=r"(b) : "r"(in[2]), "r"(in[3]), "r"(in[4])); out[0] = a; out[2] = b; asm("lop3.b32 %0, %1, %2, %3, 0xd2;" : "=r"(out[3]) : "r"(in[5]), "r"(in[6]), "r"(in[7])); }
KERNEL(fast) { SELF; PUT(0, __expf(F(0)) + __logf(fabsf(F(1)))); PUT(1, __sinf(F(2)) + __cosf(F(3))); PUT(2, __fdividef(F(4), F(5)) + __powf(fabsf(F(6)), F(7))); PUT(3, __frcp_rn(F(0)) + __frsqrt_rn(fabsf(F(1))) + __tanf(F(2))); }
KERNEL(queens) { SELF; W all_ = 63, n = 0, r[6], c[6], d[6], e[6]; int k = 0; c[0] = in[0] & 1; d[0] = e[0] = 0; r[0] = all_ & ~c[0]; while (k >= 0) { if (!r[k]) { k--; continue; } W b = r[k] & -r[k]; r[k] ^= b; if (k == 5 - (in[1] & 1)) { n++; continue; } c[k + 1] = c[k] | b; d[k + 1] = (d[k] | b) << 1; e[k + 1] = (e[k] | b) >> 1; r[k + 1] = all_ & ~(c[k + 1] | d[k + 1] | e[k + 1]); k++; } out[0] = n; }
KERNEL(early_exit) { SELF; if (in[0] % 5 == 0) return; __syncthreads(); out[0] = __syncthreads_count(1) > 0; for (W k = 0;; k++) { if (in[k & 7] % 7 == 0) { out[1] = k; return; } if (k > in[1] % 100) break; } out[2] = 9; }
KERNEL(copies) { SELF; __shared__ uint4 s[256];
#if __CUDA_ARCH__ >= 800
    __shared__ W small[256]; W at = (W)__cvta_generic_to_shared(&s[t]), bt = (W)__cvta_generic_to_shared(&small[t]); asm volatile("cp.async.cg.shared.global [%0], [%1], 16; cp.async.ca.shared.global [%2], [%3], 4; cp.async.commit_group; cp.async.wait_group 0;" :: "r"(at), "l"(in), "r"(bt), "l"(in + 4) : "memory"); __syncthreads(); out[1] = small[t ^ 1];
#else
    s[t] = *(const uint4 *)in; __syncthreads();
#endif
    out[0] = s[t ^ 3].y; out[2] = __ldg(in + 5) + __ldcg(in + 6); out[3] = __isShared(&s[t]) + 2 * __isGlobal(out);
}
