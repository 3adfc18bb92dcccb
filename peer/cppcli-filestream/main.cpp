// FileStream with a large buffer; the pieces of a line are written separately, as in the C# peer.

// The formatter does not know C++/CLI.
// clang-format off

using namespace System;
using namespace System::Globalization;
using namespace System::IO;
using namespace System::Text;

ref class usage_error : Exception {
 public:
  usage_error(String^ message) : Exception(message) {}
};

ref struct options_of_peer {
  options_of_peer() : size(-1), buffer(256 << 10), doing("open") {}

  String^ file;
  long long size;
  int buffer;
  bool bytes, reserve, write_through, sequential, overwrite;
  String^ doing;  // the current operation, for error messages
};

ref class lines abstract sealed {
 public:
  static array<Byte>^ ascii(String^ text) { return Encoding::ASCII->GetBytes(text); }

  static initonly array<Byte>^ tabs = ascii("\t\t\t\t\t\t\t");
  static initonly array<Byte>^ opening = ascii("All work and no play makes ");
  static initonly array<Byte>^ ending = ascii(" a dull boy.\n");
  static initonly array<array<Byte>^>^ names = gcnew array<array<Byte>^>{
      ascii("Jack"), ascii("Justin Michel"), ascii("Fred Flintstone"), ascii("Barney Rubble"),
      ascii("Homer J. Simpson"), ascii("John Jacob Jingleheimer Schmidt")};
};

static void write_text(FileStream^ file, long long size) {
  long long left = size;
  for (long long line = 1;; ++line) {
    int tabs = static_cast<int>(line % 8);
    array<Byte>^ name = lines::names[static_cast<int>(line % 6)];
    left -= tabs + lines::opening->Length + name->Length + lines::ending->Length;
    if (left < 0) return;
    file->Write(lines::tabs, 0, tabs);
    file->Write(lines::opening, 0, lines::opening->Length);
    file->Write(name, 0, name->Length);
    file->Write(lines::ending, 0, lines::ending->Length);
  }
}

static void write_bytes(FileStream^ file, long long size) {
  array<Byte>^ table = gcnew array<Byte>(65536);
  unsigned x = 1;
  for (int i = 0; i < table->Length; ++i) {
    x = x * 1664525u + 1013904223u;
    table[i] = static_cast<Byte>(x >> 24);
  }
  for (long long i = 0; i < size; ++i) file->WriteByte(table[static_cast<int>(i % table->Length)]);
}

static void write_file(options_of_peer^ options) {
  FileOptions how = FileOptions::None;
  if (options->write_through) how = how | FileOptions::WriteThrough;
  if (options->sequential) how = how | FileOptions::SequentialScan;
  // On the stack, so that exceptions close it as well.
  FileStream file(options->file, options->overwrite ? FileMode::Open : FileMode::Create, FileAccess::Write,
                  FileShare::Read, options->buffer, how);
  options->doing = "write";
  if (options->reserve && file.Length < options->size) file.SetLength(options->size);
  if (options->bytes) write_bytes(%file, options->size);
  else write_text(%file, options->size);
  // Removes the rest of an older file, or of the reserved space.
  if (options->overwrite || options->reserve) file.SetLength(file.Position);
}

static long long number(String^ name, String^ value, long long least, long long most) {
  long long result = 0;
  if (!Int64::TryParse(value, NumberStyles::None, CultureInfo::InvariantCulture, result) || result < least ||
      result > most)
    throw gcnew usage_error(String::Format("{0} '{1}': not a number from {2} to {3}", name, value, least, most));
  return result;
}

static bool is_second(String^ name, String^ value, String^ first, String^ second) {
  if (value != first && value != second)
    throw gcnew usage_error(String::Format("{0} '{1}': not {2} or {3}", name, value, first, second));
  return value == second;
}

static bool is_flag(options_of_peer^ options, String^ name) {
  if (name == "--reserve") options->reserve = true;
  else if (name == "--write-through") options->write_through = true;
  else if (name == "--sequential") options->sequential = true;
  else return false;
  return true;
}

static options_of_peer^ parse(array<String^>^ arguments) {
  options_of_peer^ options = gcnew options_of_peer;
  for (int i = 0; i < arguments->Length; ++i) {
    String^ name = arguments[i];
    if (is_flag(options, name)) continue;
    array<String^>^ known = {"--file", "--size", "--buffer", "--workload", "--target"};
    if (Array::IndexOf<String^>(known, name) < 0)
      throw gcnew usage_error(name + ": not supported by this peer");
    if (++i == arguments->Length) throw gcnew usage_error(name + " needs a value");
    if (name == "--file") options->file = arguments[i];
    else if (name == "--size") options->size = number(name, arguments[i], 0, Int64::MaxValue);
    else if (name == "--buffer") options->buffer = static_cast<int>(number(name, arguments[i], 1, 1 << 30));
    else if (name == "--workload") options->bytes = is_second(name, arguments[i], "text", "bytes");
    else options->overwrite = is_second(name, arguments[i], "new", "overwrite");
  }
  if (String::IsNullOrEmpty(options->file) || options->size < 0)
    throw gcnew usage_error("--file and --size are needed");
  return options;
}

int main(array<String^>^ arguments) {
  Console::Out->NewLine = "\n";
  options_of_peer^ options = nullptr;
  try {
    options = parse(arguments);
    Console::WriteLine("ready");
    Console::ReadLine();
    write_file(options);
    Console::WriteLine("closed");
    Console::ReadLine();
    return 0;
  } catch (usage_error^ error) {
    Console::Error->WriteLine(error->Message);
    return 2;
  } catch (Exception^ error) {
    Console::Error->WriteLine("{0} '{1}': {2}", options->doing, options->file, error->Message->Replace(L'\n', L' '));
    return 1;
  }
}
