// SPDX-License-Identifier: BSD-3-Clause
// A shared library written without a compiler: one data object under one name.
#pragma once

#include <elf.h>

#include <cstddef>
#include <cstring>
#include <fstream>
#include <string>
#include <string_view>

namespace hmsim::testing {

// The object is copied byte by byte and not relocated. Its pointers are valid only in the process
// that writes the library, so only that process may load it.
template <class Object>
void write_shared_object(const std::string& path, std::string_view name, const Object& object) {
  struct {
    Elf64_Ehdr header;
    Elf64_Phdr segments[3];
    Elf64_Dyn dynamic[6];
    Elf64_Sym symbols[2];
    Elf64_Word hash[6];  // one bucket, which starts with the second symbol
    char names[64];
    alignas(16) unsigned char data[sizeof(Object)];
  } file{};
  const auto place = [&file](const auto& part) {
    return static_cast<Elf64_Addr>(reinterpret_cast<const char*>(&part) -
                                   reinterpret_cast<const char*>(&file));
  };
  std::ifstream("/proc/self/exe", std::ios::binary)
      .read(reinterpret_cast<char*>(&file.header), sizeof(file.header));  // for the same machine
  file.header.e_type = ET_DYN;
  file.header.e_entry = 0;
  file.header.e_phoff = place(file.segments);
  file.header.e_phnum = 3;
  file.header.e_shoff = 0;
  file.header.e_shnum = 0;
  file.header.e_shstrndx = 0;
  constexpr Elf64_Xword kLargestPage = 1 << 16;
  file.segments[0] = {PT_LOAD, PF_R | PF_W, 0, 0, 0, sizeof(file), sizeof(file), kLargestPage};
  file.segments[1] = {PT_DYNAMIC,           PF_R | PF_W,         place(file.dynamic),
                      place(file.dynamic),  place(file.dynamic), sizeof(file.dynamic),
                      sizeof(file.dynamic), alignof(Elf64_Dyn)};
  file.segments[2] = {PT_GNU_STACK, PF_R | PF_W, 0, 0, 0, 0, 0, 16};
  const Elf64_Xword of_dynamic[][2] = {
      {DT_HASH, place(file.hash)},      {DT_STRTAB, place(file.names)},
      {DT_SYMTAB, place(file.symbols)}, {DT_STRSZ, sizeof(file.names)},
      {DT_SYMENT, sizeof(Elf64_Sym)},   {DT_NULL, 0}};
  for (std::size_t i = 0; i < std::size(file.dynamic); ++i) {
    file.dynamic[i].d_tag = static_cast<Elf64_Sxword>(of_dynamic[i][0]);
    file.dynamic[i].d_un.d_val = of_dynamic[i][1];
  }
  file.symbols[1].st_name = 1;
  file.symbols[1].st_info = ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT);
  file.symbols[1].st_shndx = 1;
  file.symbols[1].st_value = place(file.data);
  file.symbols[1].st_size = sizeof(Object);
  file.hash[0] = 1;
  file.hash[1] = std::size(file.symbols);
  file.hash[2] = 1;
  name.copy(file.names + 1, sizeof(file.names) - 2);
  std::memcpy(file.data, &object, sizeof(Object));
  std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char*>(&file), sizeof(file));
}

}  // namespace hmsim::testing
