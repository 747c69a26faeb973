/* The handles that cudaEGL.h uses, as the EGL specification has them. */
typedef void *EGLImageKHR;
typedef void *EGLStreamKHR;
typedef void *EGLSyncKHR;
