/* The parts of <stdbool.h> that a cuda.h may need. */
#define bool _Bool
#define true 1
#define false 0
