import com.sun.nio.file.ExtendedOpenOption;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.Set;

/** Opens files with java.nio. */
final class Channels {
    private Channels() {}

    /**
     * Opens the file as the options say.
     *
     * @param more further options of this peer
     */
    static FileChannel open(Options options, OpenOption... more) throws IOException {
        Set<OpenOption> how = how(options);
        how.addAll(Set.of(more));
        FileChannel file = FileChannel.open(options.file, how);
        Peer.doing = "write";
        return file;
    }

    /** The same for a channel whose writes run on Java's own threads. */
    static AsynchronousFileChannel openAsynchronous(Options options) throws IOException {
        AsynchronousFileChannel file = AsynchronousFileChannel.open(options.file, how(options), null);
        Peer.doing = "write";
        return file;
    }

    /** O_DIRECT needs addresses, lengths and offsets to be multiples of this. */
    static int alignment(Options options) throws IOException {
        return (int) Files.getFileStore(options.file).getBlockSize();
    }

    /** Returns an aligned buffer of at least that size. */
    static ByteBuffer alignedBuffer(int size, int alignment) {
        int whole = (size + alignment - 1) / alignment * alignment;
        return ByteBuffer.allocateDirect(whole + alignment - 1).alignedSlice(alignment).slice(0, whole);
    }

    private static Set<OpenOption> how(Options options) {
        Set<OpenOption> how = new HashSet<>(Set.of(StandardOpenOption.WRITE));
        if (!options.overwrite) how.addAll(Set.of(StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING));
        if (options.writeThrough) how.add(StandardOpenOption.DSYNC);
        if (options.noCache) how.add(ExtendedOpenOption.DIRECT);
        return how;
    }
}
