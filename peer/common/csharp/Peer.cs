using System;

/// <summary>What all C# peers share: the talk with who measures them, their errors, and what they write.</summary>
static partial class Peer
{
    /// <summary>What is being done at the moment, for an error's message.</summary>
    public static string Doing = "open";

    /// <summary>Runs a peer's work between the two lines that it waits for.</summary>
    /// <param name="buffer">what --buffer is by default; 0: this peer has no such option</param>
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
        Console.WriteLine("closed");
        Console.ReadLine();
        return 0;
    }

    /// <summary>The bytes of the workload of the same name; byte i of the file is entry i mod 65536.</summary>
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
