Imports System.IO
Imports System.Text

''' <summary>FileStream with a large buffer; the pieces of a line are written separately.</summary>
Module Program
    Function Main(arguments As String()) As Integer
        Return Peer.Run(arguments, 256 << 10, AddressOf Write)
    End Function

    Private Sub Write(options As Options)
        Using file = Peer.Open(options)
            If options.Bytes Then
                WriteBytes(file, options.Size)
            Else
                WriteText(file, options.Size)
            End If
            ' Removes the rest of an older file, or of the reserved space.
            If options.Overwrite OrElse options.Reserve Then file.SetLength(file.Position)
        End Using
    End Sub

    Private ReadOnly Tabs As Byte() = Encoding.ASCII.GetBytes(New String(CChar(vbTab), 7))
    Private ReadOnly Opening As Byte() = Encoding.ASCII.GetBytes("All work and no play makes ")
    Private ReadOnly Ending As Byte() = Encoding.ASCII.GetBytes(" a dull boy." & vbLf)
    Private ReadOnly Names As Byte()() = {
        Encoding.ASCII.GetBytes("Jack"), Encoding.ASCII.GetBytes("Justin Michel"),
        Encoding.ASCII.GetBytes("Fred Flintstone"), Encoding.ASCII.GetBytes("Barney Rubble"),
        Encoding.ASCII.GetBytes("Homer J. Simpson"),
        Encoding.ASCII.GetBytes("John Jacob Jingleheimer Schmidt")}

    Private Sub WriteText(file As FileStream, size As Long)
        Dim left = size
        Dim line = 1L
        Do
            Dim tabCount = CInt(line Mod 8)
            Dim name = Names(CInt(line Mod 6))
            left -= tabCount + Opening.Length + name.Length + Ending.Length
            If left < 0 Then Return
            file.Write(Tabs, 0, tabCount)
            file.Write(Opening, 0, Opening.Length)
            file.Write(name, 0, name.Length)
            file.Write(Ending, 0, Ending.Length)
            line += 1
        Loop
    End Sub

    Private Sub WriteBytes(file As FileStream, size As Long)
        Dim table = Peer.Table()
        For i = 0L To size - 1
            file.WriteByte(table(CInt(i Mod table.Length)))
        Next
    End Sub
End Module
