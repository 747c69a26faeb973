/* What a cuda.h may want of <stdbool.h>. */
#define bool _Bool
#define true 1
#define false 0
