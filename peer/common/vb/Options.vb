Imports System
Imports System.Globalization

''' <summary>The options that all Visual Basic peers share. Wrong ones throw a <see cref="UsageException"/>.</summary>
NotInheritable Class Options
    Public File As String
    Public Size As Long = -1
    Public Buffer As Integer
    Public Bytes, Reserve, WriteThrough, Sequential, Overwrite As Boolean

    ''' <param name="buffer">the default of --buffer</param>
    Public Shared Function Parse(arguments As String(), buffer As Integer) As Options
        Dim options As New Options With {.Buffer = buffer}
        Dim i = 0
        While i < arguments.Length
            i += If(options.TakeFlag(arguments(i)), 1, options.TakeValue(arguments, i))
        End While
        If String.IsNullOrEmpty(options.File) OrElse options.Size < 0 Then
            Throw New UsageException("--file and --size are needed")
        End If
        ' .NET can reserve space only for files that it creates.
        If options.Reserve AndAlso options.Overwrite Then
            Throw New UsageException("--reserve: not supported with --target overwrite")
        End If
        Return options
    End Function

    Private Function TakeFlag(name As String) As Boolean
        Select Case name
            Case "--reserve" : Reserve = True
            Case "--write-through" : WriteThrough = True
            Case "--sequential" : Sequential = True
            Case Else : Return False
        End Select
        Return True
    End Function

    ''' <returns>the number of arguments that were consumed</returns>
    Private Function TakeValue(arguments As String(), at As Integer) As Integer
        Dim name = arguments(at)
        If Array.IndexOf({"--file", "--size", "--buffer", "--workload", "--target"}, name) < 0 Then
            Throw New UsageException(name & ": not supported by this peer")
        End If
        If at + 1 = arguments.Length Then Throw New UsageException(name & " needs a value")
        Dim value = arguments(at + 1)
        Select Case name
            Case "--file" : File = value
            Case "--size" : Size = Number(name, value, 0, Long.MaxValue)
            Case "--buffer" : Buffer = CInt(Number(name, value, 1, 1 << 30))
            Case "--workload" : Bytes = IsSecond(name, value, "text", "bytes")
            Case "--target" : Overwrite = IsSecond(name, value, "new", "overwrite")
        End Select
        Return 2
    End Function

    Private Shared Function IsSecond(name As String, value As String, first As String, second As String) As Boolean
        If value <> first AndAlso value <> second Then
            Throw New UsageException($"{name} '{value}': not {first} or {second}")
        End If
        Return value = second
    End Function

    Private Shared Function Number(name As String, value As String, least As Long, most As Long) As Long
        Dim result As Long
        If Not Long.TryParse(value, NumberStyles.None, CultureInfo.InvariantCulture, result) OrElse
           result < least OrElse result > most Then
            Throw New UsageException($"{name} '{value}': not a number from {least} to {most}")
        End If
        Return result
    End Function
End Class

NotInheritable Class UsageException
    Inherits Exception

    Public Sub New(message As String)
        MyBase.New(message)
    End Sub
End Class
