/* What a cuda.h may want of <stdbool.h>. */
#ifndef CUDA_EXTERNAL_STDBOOL_H
#define CUDA_EXTERNAL_STDBOOL_H
#define bool _Bool
#define true 1
#define false 0
#endif
