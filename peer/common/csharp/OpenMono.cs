using System.IO;

static partial class Peer
{
    /// <summary>The options that <see cref="Open"/> supports. Mono ignores FileOptions.WriteThrough.</summary>
    public static readonly string[] Supported = { "--sequential" };

    /// <summary>Opens the file as the options say, with Mono.</summary>
    /// <param name="buffer">the stream's own buffer; 1: none</param>
    public static FileStream Open(Options options, int buffer)
    {
        var mode = options.Overwrite ? FileMode.Open : FileMode.Create;
        var hint = options.Sequential ? FileOptions.SequentialScan : FileOptions.None;
        var file = new FileStream(options.File, mode, FileAccess.Write, FileShare.Read, buffer, hint);
        Doing = "write";
        return file;
    }
}
