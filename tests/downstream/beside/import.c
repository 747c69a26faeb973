int cuImportExternalMemory(void **memory, const void *desc);

/* Returns what the driver says of no description. */
int import_nothing(void) {
    void *memory = 0;
    return cuImportExternalMemory(&memory, 0);
}
