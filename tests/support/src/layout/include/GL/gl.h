/* The types of OpenGL that cudaGL.h uses, as the OpenGL specification has them: unsigned, of 32 bits. */
typedef unsigned int GLenum;
typedef unsigned int GLuint;
