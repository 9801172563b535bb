/* The files of code that are loaded: see modules.h. */
#define _GNU_SOURCE /* dl_iterate_phdr */
#include "core/samples/modules.h"

#include "core/samples/support.h"

#if TRC_SAMPLES
#include <fcntl.h>
#include <inttypes.h>
#include <link.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_FILES 100000
#define MAPS_EVERY 16        /* looks */
#define NOT_KNOWN UINT64_MAX /* a bias, until the file is read */

static int read_changes(struct dl_phdr_info *info, size_t size, void *changes)
{
    (void)size;
    *(uint64_t *)changes = info->dlpi_adds + info->dlpi_subs;
    return 1; /* the first one has said all */
}

/* What dl_iterate_phdr() tells. No memory is taken while it holds its lock: another thread may have that of malloc and
 * wait for this one. */
typedef struct found {
    char name[1024]; /* a copy: another thread may unload the file */
    uint64_t bias;
    uint64_t start;
    uint64_t end;
    uint64_t offset;
} found;

typedef struct finding {
    found *found;
    size_t room;
    size_t count;
} finding;

static int find_code(struct dl_phdr_info *info, size_t size, void *context)
{
    finding *to = context;
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        if (segment->p_type != PT_LOAD || (segment->p_flags & PF_X) == 0) {
            continue;
        }
        if (to->count < to->room) {
            found *found = &to->found[to->count];
            strncpy(found->name, info->dlpi_name, sizeof found->name - 1);
            found->bias = info->dlpi_addr;
            found->start = info->dlpi_addr + segment->p_vaddr;
            found->end = found->start + segment->p_memsz;
            found->offset = segment->p_offset;
        }
        to->count++;
    }
    return 0;
}

/* The same by the kernel's list of mappings. Returns a number that changes with the list. */
static uint64_t find_in_maps(finding *to)
{
    char line[1200], access[5];
    uint64_t start, end, offset, changes = 14695981039346656037u;
    FILE *file = fopen("/proc/self/maps", "re");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        int path = 0;
        line[strcspn(line, "\n")] = 0;
        bool is_read = sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %*s %*s %n", &start, &end, access, &offset,
                              &path) == 4;
        if (!is_read || access[2] != 'x' || (line[path] != '/' && strcmp(line + path, "[vdso]") != 0)) {
            continue;
        }
        changes = (changes ^ start ^ end << 20 ^ offset << 40) * 1099511628211u;
        if (to->count < to->room) {
            found *found = &to->found[to->count];
            *found = (struct found){.bias = NOT_KNOWN, .start = start, .end = end, .offset = offset};
            strncpy(found->name, line + path, sizeof found->name - 1);
        }
        to->count++;
    }
    if (file != NULL) {
        fclose(file);
    }
    return changes;
}

/* -- Files -- */

static char *path_of(const char *name)
{
    char target[4096];
    if (*name != 0) {
        return strdup(name);
    }
    ssize_t size = readlink("/proc/self/exe", target, sizeof target - 1);
    target[size < 0 ? 0 : size] = 0;
    return strdup(target);
}

static trc_code_file *find_file(const trc_modules *modules, const found *found, const char *path)
{
    for (uint32_t i = 0; i < modules->count; i++) {
        trc_code_file *file = modules->files[i];
        if (file->start == found->start && file->end == found->end && strcmp(file->path, path) == 0) {
            return file;
        }
    }
    return NULL;
}

static void add_file(trc_modules *modules, const found *found)
{
    char *path = path_of(found->name);
    trc_code_file *file = path == NULL ? NULL : find_file(modules, found, path);
    if (file != NULL || path == NULL) {
        free(path);
        if (file != NULL) {
            file->is_loaded = true;
        }
        return;
    }
    trc_code_file **files = realloc(modules->files, (modules->count + 1) * sizeof *files);
    if (files != NULL) {
        modules->files = files;
        file = calloc(1, sizeof *file);
    }
    if (file == NULL) {
        free(path);
        return;
    }
    file->path = path;
    file->start = found->start;
    file->end = found->end;
    file->offset = found->offset;
    file->bias = found->bias;
    file->is_loaded = true;
    file->is_memory = strchr(path, '/') == NULL;
    files[modules->count++] = file;
}

/* Maps what is to be read of a file; sets `mapped` and `mapped_size`. */
static void map_file(trc_code_file *file)
{
    struct stat status;
    int descriptor = open(file->path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) {
        return;
    }
    if (fstat(descriptor, &status) == 0 && status.st_size > 0) {
        void *bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, descriptor, 0);
        file->mapped = bytes == MAP_FAILED ? NULL : bytes;
        file->mapped_size = (size_t)status.st_size;
    }
    close(descriptor);
}

/* Mappings do not tell the bias: the file does. */
static void find_bias(trc_code_file *file)
{
    if (file->bias == NOT_KNOWN && file->is_memory) {
        file->bias = file->start - file->offset;
    }
    else if (file->bias == NOT_KNOWN) {
        trc_elf_bias(&file->elf, file->start, file->offset, &file->bias);
    }
}

/* Whether the file is the one that was loaded, not another that has its path by now. */
static bool is_same(const trc_code_file *file)
{
    uint64_t bias;
    return file->is_memory || (trc_elf_bias(&file->elf, file->start, file->offset, &bias) && bias == file->bias);
}

static void read_file(trc_code_file *file)
{
    file->is_read = true;
    if (file->is_memory) { /* the headers of the kernel's own library are where its code is */
        file->mapped = (void *)(uintptr_t)(file->start - file->offset);
        file->mapped_size = (size_t)(file->end - file->start + file->offset + 4095) & ~(size_t)4095;
    }
    else {
        map_file(file);
    }
    if (file->mapped == NULL) {
        return;
    }
    bool is_open = trc_elf_open(&file->elf, file->mapped, file->mapped_size);
    if (is_open) {
        find_bias(file);
    }
    is_open = is_open && is_same(file) && trc_symbols_read(&file->symbols, &file->elf, &trc_system_allocator);
    if (is_open && !file->is_memory) {
        trc_imports_read(&file->imports, &file->elf, &file->symbols, file->bias);
    }
    if (!is_open && !file->is_memory) {
        munmap(file->mapped, file->mapped_size);
    }
    if (!is_open) {
        file->mapped = NULL;
    }
}

static void free_file(trc_code_file *file)
{
    if (file->mapped != NULL) {
        trc_symbols_free(&file->symbols);
        trc_imports_free(&file->imports);
        if (!file->is_memory) {
            munmap(file->mapped, file->mapped_size);
        }
    }
    free(file->path);
    free(file);
}

/* -- All of them -- */

static int by_start(const void *one, const void *other)
{
    const trc_code_file *a = *(trc_code_file *const *)one, *b = *(trc_code_file *const *)other;
    return (a->start > b->start) - (a->start < b->start);
}

static trc_module module_of(trc_code_file *file)
{
    bool is_known = file->mapped != NULL;
    return (trc_module){file->start, file->end, file->bias, is_known ? &file->elf : NULL,
                        is_known ? &file->symbols : NULL};
}

/* Lists the files that are loaded. When memory is out, none is. */
static void list_loaded(trc_modules *modules)
{
    free(modules->loaded);
    free(modules->loaded_files);
    modules->loaded_count = 0;
    modules->loaded = calloc(modules->count + 1, sizeof *modules->loaded);
    modules->loaded_files = calloc(modules->count + 1, sizeof *modules->loaded_files);
    trc_code_file **sorted = calloc(modules->count + 1, sizeof(trc_code_file *));
    if (modules->loaded == NULL || modules->loaded_files == NULL || sorted == NULL) {
        free(sorted);
        return;
    }
    for (uint32_t i = 0; i < modules->count; i++) {
        sorted[i] = modules->files[i];
    }
    qsort(sorted, modules->count, sizeof *sorted, by_start);
    for (uint32_t i = 0; i < modules->count; i++) {
        if (sorted[i]->is_loaded) {
            uint32_t place = 0;
            while (modules->files[place] != sorted[i]) {
                place++;
            }
            modules->loaded_files[modules->loaded_count] = place;
            modules->loaded[modules->loaded_count++] = module_of(sorted[i]);
        }
    }
    free(sorted);
}

/* A number that changes with what is loaded. */
static uint64_t changes_of(const trc_modules *modules)
{
    uint64_t changes = 0;
    if (modules->by_maps) {
        return find_in_maps(&(finding){NULL, 0, 0});
    }
    dl_iterate_phdr(read_changes, &changes);
    return changes;
}

/* Finds what is loaded, as far as there is room, and counts all. */
static void find_loaded(const trc_modules *modules, finding *to)
{
    to->count = 0;
    if (modules->by_maps) {
        find_in_maps(to);
    }
    else {
        dl_iterate_phdr(find_code, to);
    }
}

bool trc_modules_look(trc_modules *modules)
{
    finding to = {NULL, 0, 0};
    if (modules->by_maps && modules->looks++ % MAPS_EVERY != 0) {
        return false;
    }
    uint64_t changes = changes_of(modules);
    if (modules->has_looked && changes == modules->changes) {
        return false;
    }
    find_loaded(modules, &to);
    to.room = to.count + 16; /* some may be loaded meanwhile */
    to.found = calloc(to.room, sizeof *to.found);
    if (to.found == NULL || to.count > MOST_FILES) {
        free(to.found);
        return false;
    }
    find_loaded(modules, &to);
    for (uint32_t i = 0; i < modules->count; i++) {
        modules->files[i]->is_loaded = false;
    }
    for (size_t i = 0; i < to.count && i < to.room; i++) {
        add_file(modules, &to.found[i]);
    }
    free(to.found);
    modules->changes = changes;
    modules->has_looked = true;
    list_loaded(modules);
    return true;
}

void trc_modules_free(trc_modules *modules)
{
    for (uint32_t i = 0; i < modules->count; i++) {
        free_file(modules->files[i]);
    }
    free(modules->files);
    free(modules->loaded);
    free(modules->loaded_files);
    *modules = (trc_modules){.files = NULL};
}

uint32_t trc_modules_find(trc_modules *modules, uint64_t address)
{
    const trc_unwinder all = {.modules = modules->loaded, .module_count = modules->loaded_count};
    const trc_module *module = trc_module_of(&all, address);
    if (module == NULL) {
        return UINT32_MAX;
    }
    size_t number = (size_t)(module - modules->loaded);
    trc_code_file *file = modules->files[modules->loaded_files[number]];
    if (!file->is_read) {
        read_file(file);
        modules->loaded[number] = module_of(file);
    }
    return modules->loaded_files[number];
}

const char *trc_modules_name(const trc_modules *modules, uint64_t begin)
{
    const char *name = NULL;
    for (uint32_t i = 0; i < modules->count && name == NULL; i++) {
        if (modules->files[i]->is_loaded) {
            name = trc_imports_name(&modules->files[i]->imports, begin);
        }
    }
    return name;
}
#endif
