import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.Set;

/** FileChannel and a direct buffer, which needs no copy; Java would copy a heap buffer at every write. */
final class Main {
    public static void main(String[] arguments) throws IOException {
        Peer.run(arguments, Set.of("--buffer", "--write-through"), 64 << 10, options -> {
            try (FileChannel file = Channels.open(options)) {
                ByteBuffer buffer = ByteBuffer.allocateDirect(Math.max(options.buffer, Lines.LONGEST));
                if (options.bytes) writeBytes(file, buffer, options.size);
                else writeText(file, buffer, options.size);
                if (options.overwrite) file.truncate(file.position());
            }
        });
    }

    private static void writeText(FileChannel file, ByteBuffer buffer, long size) throws IOException {
        byte[] lines = new byte[buffer.capacity()];
        int used = 0;
        long left = size;
        for (long line = 1; ; line++) {
            int length = Lines.length(line);
            left -= length;
            if (left < 0) break;
            if (lines.length - used < length) {
                drain(buffer.put(lines, 0, used), file);
                used = 0;
            }
            used = Lines.form(lines, used, line);
        }
        drain(buffer.put(lines, 0, used), file);
    }

    private static void writeBytes(FileChannel file, ByteBuffer buffer, long size) throws IOException {
        byte[] table = Peer.table();
        for (long i = 0; i < size; i++) {
            if (!buffer.hasRemaining()) drain(buffer, file);
            buffer.put(table[(int) (i % table.length)]);
        }
        drain(buffer, file);
    }

    private static void drain(ByteBuffer buffer, FileChannel file) throws IOException {
        buffer.flip();
        while (buffer.hasRemaining()) file.write(buffer);
        buffer.clear();
    }
}
