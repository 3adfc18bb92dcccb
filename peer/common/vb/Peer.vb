Imports System
Imports System.IO

''' <summary>What all Visual Basic peers share: the protocol, the error messages, opening files.</summary>
Module Peer
    ''' <summary>The current operation, for error messages.</summary>
    Private doing As String = "open"

    ''' <summary>Runs a peer's work between reading the two lines.</summary>
    ''' <param name="buffer">the default of --buffer</param>
    ''' <returns>the program's exit status</returns>
    Public Function Run(arguments As String(), buffer As Integer, work As Action(Of Options)) As Integer
        Dim options As Options
        Try
            options = Options.Parse(arguments, buffer)
        Catch wrong As UsageException
            Console.Error.WriteLine(wrong.Message)
            Return 2
        End Try
        Console.WriteLine("ready")
        Console.ReadLine()
        Try
            work(options)
        Catch failure As Exception
            Console.Error.WriteLine($"{doing} '{options.File}': {failure.Message.Replace(vbLf, " ")}")
            Return 1
        End Try
        Console.WriteLine("closed")
        Console.ReadLine()
        Return 0
    End Function

    ''' <summary>Opens the file as the options say.</summary>
    Public Function Open(options As Options) As FileStream
        Dim how As New FileStreamOptions With {
            .Mode = If(options.Overwrite, FileMode.Open, FileMode.Create),
            .Access = FileAccess.Write,
            .BufferSize = options.Buffer,
            .PreallocationSize = If(options.Reserve, options.Size, 0),
            .Options = If(options.WriteThrough, FileOptions.WriteThrough, FileOptions.None) Or
                       If(options.Sequential, FileOptions.SequentialScan, FileOptions.None)}
        Dim file As New FileStream(options.File, how)
        doing = "write"
        Return file
    End Function

    ''' <summary>The content of the workload "bytes"; byte i of the file is entry i mod 65536.</summary>
    Public Function Table() As Byte()
        Dim result(65535) As Byte
        Dim x As ULong = 1
        For i = 0 To result.Length - 1
            x = (x * 1664525UL + 1013904223UL) And &HFFFFFFFFUL
            result(i) = CByte(x >> 24)
        Next
        Return result
    End Function
End Module
