/* All that cuda.h wants of <stdlib.h>. */
#ifndef CUDA_EXTERNAL_STDLIB_H
#define CUDA_EXTERNAL_STDLIB_H
typedef __SIZE_TYPE__ size_t;
typedef __WCHAR_TYPE__ wchar_t;
#ifndef NULL
#define NULL ((void *)0)
#endif
#endif
