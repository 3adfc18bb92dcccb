# The abilities of the laboratory, in the order of the help: a folder each, with all of it, and a line here. Taking one away
# takes its folder and its line, and those of the abilities that rest on it.
#   ability(<folder> "<summary>" [<folder that it rests on>…])
ability(bytes "Measure the ways to write and read a file one byte per call")
ability(sustain "Tell whether a disk keeps up with a constant rate, and for how long")
ability(peers "Measure the same program in other languages and libraries, side by side")
ability(corpus "Create text files of random lines, as input of encrypt")
ability(encrypt "Encrypt every line of every file of a directory, and measure that")
ability(sweep "Measure the strategies of encrypt, by threads and work, as tables" corpus encrypt)
ability(filesystems "Find the fastest file system, with its mkfs and mount options")
ability(writetest "Write files by several methods in turn, then method by method")
ability(campaign "Work through a plan of measurements, even across reboots")
