using System;

/// <summary>What all C# peers share: the protocol, the error messages, and the content.</summary>
static partial class Peer
{
    /// <summary>The current operation, for error messages.</summary>
    public static string Doing = "open";

    /// <summary>The method that `closed` reports.</summary>
    public static string Method = "buffered";

    /// <summary>Runs a peer's work between reading the two lines.</summary>
    /// <param name="buffer">the default of --buffer; 0: this peer has no such option</param>
    /// <returns>the program's exit status</returns>
    public static int Run(string[] arguments, int buffer, Action<Options> work)
    {
        Options options;
        try
        {
            options = Options.Parse(arguments, buffer);
        }
        catch (UsageException error)
        {
            Console.Error.WriteLine(error.Message);
            return 2;
        }
        Console.WriteLine("ready");
        Console.ReadLine();
        try
        {
            work(options);
        }
        catch (Exception error)
        {
            Console.Error.WriteLine($"{Doing} '{options.File}': {error.Message.Replace('\n', ' ')}");
            return 1;
        }
        Console.WriteLine("closed " + Method);
        Console.ReadLine();
        return 0;
    }

    /// <summary>The content of the workload "bytes"; byte i of the file is entry i mod 65536.</summary>
    public static byte[] Table()
    {
        var table = new byte[65536];
        uint x = 1;
        for (int i = 0; i < table.Length; i++)
        {
            x = unchecked(x * 1664525 + 1013904223);
            table[i] = (byte)(x >> 24);
        }
        return table;
    }
}
