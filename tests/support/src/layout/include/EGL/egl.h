/* The type of EGL that cudaEGL.h uses, as the EGL specification has it. */
typedef int EGLint;
