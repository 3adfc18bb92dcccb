using System.IO;
using Microsoft.Win32.SafeHandles;

static partial class Peer
{
    /// <summary>The options that <see cref="Open"/> supports.</summary>
    public static readonly string[] Supported = { "--reserve", "--write-through", "--sequential" };

    /// <summary>Opens the file as the options say, with .NET.</summary>
    /// <param name="buffer">the stream's own buffer; 1: none</param>
    public static FileStream Open(Options options, int buffer)
    {
        var file = new FileStream(options.File, new FileStreamOptions
        {
            Mode = options.Overwrite ? FileMode.Open : FileMode.Create,
            Access = FileAccess.Write,
            BufferSize = buffer,
            PreallocationSize = options.Reserve ? options.Size : 0,
            Options = Flags(options)
        });
        Doing = "write";
        return file;
    }

    /// <summary>Opens the file for RandomAccess, which needs no stream.</summary>
    public static SafeFileHandle OpenHandle(Options options)
    {
        var file = File.OpenHandle(options.File, options.Overwrite ? FileMode.Open : FileMode.Create, FileAccess.Write,
            FileShare.Read, Flags(options), options.Reserve ? options.Size : 0);
        Doing = "write";
        return file;
    }

    static FileOptions Flags(Options options) =>
        (options.WriteThrough ? FileOptions.WriteThrough : 0) | (options.Sequential ? FileOptions.SequentialScan : 0);
}
