package dev.plainsail.e2e.cluster;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import java.util.StringJoiner;

/**
 * The cluster's name server, where CoreDNS would be: answers for the names in a table file, one {@code name address} a line,
 * with their IPv4 address; every other name does not exist. UDP only, one question a message, as resolvers ask.
 */
final class ClusterDns implements AutoCloseable {

    private static final int TYPE_A = 1;
    private static final int HEADER_BYTES = 12;
    private static final int RESPONSE = 0x8400;
    private static final int NO_SUCH_NAME = 3;
    private static final int SECONDS_TO_LIVE = 5;
    private static final int LARGEST = 512;

    private final DatagramSocket socket;
    private final Path table;

    ClusterDns(InetSocketAddress address, Path table) throws IOException {
        this.socket = new DatagramSocket(address);
        this.table = table;
        Thread.ofPlatform().daemon().name("dns").start(this::answerAll);
    }

    private void answerAll() {
        byte[] buffer = new byte[LARGEST];
        while (!socket.isClosed()) {
            try {
                DatagramPacket question = new DatagramPacket(buffer, buffer.length);
                socket.receive(question);
                Optional<byte[]> answer =
                        answer(ByteBuffer.wrap(buffer, 0, question.getLength()).slice(), Files.readString(table));
                if (answer.isPresent()) {
                    socket.send(new DatagramPacket(answer.get(), answer.get().length, question.getSocketAddress()));
                }
            } catch (IOException e) {
                // One lost question; its asker asks again.
            }
        }
    }

    /** The answer to one message; empty when it is no question. */
    static Optional<byte[]> answer(ByteBuffer question, String table) throws IOException {
        if (question.remaining() < HEADER_BYTES + 5 || question.getShort(4) != 1) {
            return Optional.empty();
        }
        int flags = question.getShort(2);
        if (flags < 0) {
            return Optional.empty(); // an answer, not a question
        }
        question.position(HEADER_BYTES);
        Optional<String> name = name(question);
        if (name.isEmpty() || question.remaining() < 4) {
            return Optional.empty();
        }
        int type = question.getShort();
        question.getShort();
        int end = question.position();
        Optional<InetAddress> address = find(name.get(), table);
        boolean answered = address.isPresent() && type == TYPE_A;
        ByteBuffer out = ByteBuffer.allocate(LARGEST);
        out.putShort(question.getShort(0));
        out.putShort((short) (RESPONSE | (flags & 0x0100) | (address.isPresent() ? 0 : NO_SUCH_NAME)));
        out.putShort((short) 1).putShort((short) (answered ? 1 : 0)).putInt(0);
        out.put(question.slice(HEADER_BYTES, end - HEADER_BYTES));
        if (answered) {
            byte[] bytes = address.get().getAddress();
            out.putShort((short) (0xc000 | HEADER_BYTES))
                    .putShort((short) TYPE_A)
                    .putShort((short) 1);
            out.putInt(SECONDS_TO_LIVE).putShort((short) bytes.length).put(bytes);
        }
        byte[] message = new byte[out.position()];
        out.get(0, message);
        return Optional.of(message);
    }

    private static Optional<String> name(ByteBuffer in) {
        StringJoiner name = new StringJoiner(".");
        while (in.hasRemaining()) {
            int length = in.get() & 0xff;
            if (length == 0) {
                return Optional.of(name.toString().toLowerCase(Locale.ROOT));
            }
            if (length > 63 || length > in.remaining()) {
                return Optional.empty();
            }
            byte[] label = new byte[length];
            in.get(label);
            name.add(new String(label, StandardCharsets.US_ASCII));
        }
        return Optional.empty();
    }

    private static Optional<InetAddress> find(String name, String table) throws IOException {
        for (String line : table.lines().toList()) {
            if (line.startsWith(name + " ")) {
                return Optional.of(InetAddress.ofLiteral(line.substring(name.length() + 1)));
            }
        }
        return Optional.empty();
    }

    @Override
    public void close() {
        socket.close();
    }
}
