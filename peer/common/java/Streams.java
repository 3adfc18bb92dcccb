import java.io.FileNotFoundException;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;

/** Opens files with java.io. */
final class Streams {
    private Streams() {}

    /** Opens the file as the options say. */
    static FileOutputStream open(Options options) throws IOException {
        boolean plain = !options.overwrite && !options.writeThrough;
        FileOutputStream file = plain ? new FileOutputStream(options.file.toFile()) : openOtherwise(options);
        Peer.doing = "write";
        return file;
    }

    /** FileOutputStream always empties the file and has no write-through; a RandomAccessFile opens it otherwise. */
    private static FileOutputStream openOtherwise(Options options) throws IOException {
        if (options.overwrite && !Files.exists(options.file))
            throw new FileNotFoundException("No such file or directory");
        var file = new RandomAccessFile(options.file.toFile(), options.writeThrough ? "rwd" : "rw");
        if (!options.overwrite) file.setLength(0);
        return new FileOutputStream(file.getFD());
    }

    /** Truncates the rest of an older file. */
    static void cut(FileOutputStream file) throws IOException {
        file.getChannel().truncate(file.getChannel().position());
    }
}
