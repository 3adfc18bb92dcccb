import java.io.FileNotFoundException;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;

/** Files as java.io opens them. */
final class Streams {
    private Streams() {}

    /** Opens the file as its options want it. */
    static FileOutputStream open(Options options) throws IOException {
        boolean plain = !options.overwrite && !options.writeThrough;
        FileOutputStream file = plain ? new FileOutputStream(options.file.toFile()) : openOtherwise(options);
        Peer.doing = "write";
        return file;
    }

    /** FileOutputStream always empties the file and knows no write-through: a RandomAccessFile opens it then. */
    private static FileOutputStream openOtherwise(Options options) throws IOException {
        if (options.overwrite && !Files.exists(options.file))
            throw new FileNotFoundException("No such file or directory");
        var file = new RandomAccessFile(options.file.toFile(), options.writeThrough ? "rwd" : "rw");
        if (!options.overwrite) file.setLength(0);
        return new FileOutputStream(file.getFD());
    }

    /** Cuts what is left of an older file. */
    static void cut(FileOutputStream file) throws IOException {
        file.getChannel().truncate(file.getChannel().position());
    }
}
