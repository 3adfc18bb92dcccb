using System;
using System.Globalization;

/// <summary>The options that all C# peers share. Wrong options throw a <see cref="UsageException"/>.</summary>
sealed class Options
{
    public string File;
    public long Size = -1;
    public int Buffer;
    public bool Bytes, Reserve, WriteThrough, Sequential, Overwrite;
    /// <summary>Whether this peer always bypasses the page cache, and so takes --no-cache.</summary>
    public static bool Direct;

    /// <param name="buffer">the default of --buffer; 0: this peer has no such option</param>
    public static Options Parse(string[] arguments, int buffer)
    {
        var options = new Options { Buffer = buffer };
        for (int i = 0; i < arguments.Length; i++)
        {
            string name = arguments[i];
            if (!IsKnown(name, buffer)) throw new UsageException(name + ": not supported by this peer");
            Func<string> value = () =>
                ++i < arguments.Length ? arguments[i] : throw new UsageException(name + " needs a value");
            switch (name)
            {
                case "--file": options.File = value(); break;
                case "--size": options.Size = Number(name, value(), 0, long.MaxValue); break;
                case "--buffer": options.Buffer = (int)Number(name, value(), 1, 1 << 30); break;
                case "--workload": options.Bytes = Choice(name, value(), "text", "bytes"); break;
                case "--target": options.Overwrite = Choice(name, value(), "new", "overwrite"); break;
                case "--reserve": options.Reserve = true; break;
                case "--write-through": options.WriteThrough = true; break;
                case "--sequential": options.Sequential = true; break;
            }
        }
        if (string.IsNullOrEmpty(options.File) || options.Size < 0)
            throw new UsageException("--file and --size are needed");
        // .NET can reserve space only for files that it creates.
        if (options.Reserve && options.Overwrite)
            throw new UsageException("--reserve: not supported with --target overwrite");
        return options;
    }

    static bool IsKnown(string name, int buffer) => name == "--file" || name == "--size" || name == "--workload" ||
        name == "--target" || (name == "--buffer" && buffer > 0) || (name == "--no-cache" && Direct) || Array.IndexOf(Peer.Supported, name) >= 0;

    static bool Choice(string name, string value, string first, string second)
    {
        if (value != first && value != second) throw new UsageException($"{name} '{value}': not {first} or {second}");
        return value == second;
    }

    static long Number(string name, string value, long least, long most)
    {
        if (!long.TryParse(value, NumberStyles.None, CultureInfo.InvariantCulture, out long number) ||
            number < least || number > most)
            throw new UsageException($"{name} '{value}': not a number from {least} to {most}");
        return number;
    }
}

sealed class UsageException : Exception
{
    public UsageException(string message) : base(message) { }
}
