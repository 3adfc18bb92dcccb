import com.sun.nio.file.ExtendedOpenOption;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.Set;

/** Opens files with java.nio. */
final class Channels {
    private Channels() {}

    private static final int O_DIRECT =
            Set.of("arm", "aarch64").contains(System.getProperty("os.arch")) ? 0200000 : 040000;

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

    /**
     * Notes for `closed` whether the open file's writes bypass the page cache, as the kernel sees it. Java hides the
     * file's descriptor, so this looks for it among those of the process.
     */
    static void noteMethod(Options options) throws IOException {
        if (isDirect(options.file.toRealPath())) Peer.method = "direct";
    }

    private static boolean isDirect(Path file) throws IOException {
        try (DirectoryStream<Path> descriptors = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
            for (Path each : descriptors) {
                if (!leadsTo(each, file)) continue;
                for (String line : Files.readAllLines(Path.of("/proc/self/fdinfo").resolve(each.getFileName())))
                    if (line.startsWith("flags:")) return (Integer.parseInt(line.substring(6).trim(), 8) & O_DIRECT) != 0;
            }
        }
        throw new IOException("not among the open files of this process");
    }

    private static boolean leadsTo(Path descriptor, Path file) {
        try {
            return Files.readSymbolicLink(descriptor).equals(file);
        } catch (IOException gone) { // the descriptor of the listing itself
            return false;
        }
    }

    private static Set<OpenOption> how(Options options) {
        Set<OpenOption> how = new HashSet<>(Set.of(StandardOpenOption.WRITE));
        if (!options.overwrite) how.addAll(Set.of(StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING));
        if (options.writeThrough) how.add(StandardOpenOption.DSYNC);
        if (options.noCache) how.add(ExtendedOpenOption.DIRECT);
        return how;
    }
}
