package dev.plainsail.e2e.cluster;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** The real kubectl, as an administrator of one cluster. */
public record Kubectl(Path program, Path kubeconfig) {

    /** What a command said, and how it ended. */
    public record Result(int exitCode, String output, String errors) {}

    /** Ran and ended with another code than 0; the message is what kubectl wrote to standard error. */
    public static final class Failed extends IOException {
        Failed(List<String> arguments, Result result) {
            super("kubectl " + String.join(" ", arguments) + ": "
                    + result.errors().strip());
        }
    }

    /** Runs it to its end and gives its output. */
    public String run(String... arguments) throws IOException, InterruptedException {
        Result result = tryRun("", arguments);
        if (result.exitCode() != 0) {
            throw new Failed(List.of(arguments), result);
        }
        return result.output();
    }

    /** Runs it with this text as its standard input, whatever the end. */
    public Result tryRun(String input, String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(program.toString()));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().clear();
        builder.environment().put("PATH", "/usr/bin:/bin");
        builder.environment().put("HOME", String.valueOf(kubeconfig.getParent()));
        builder.environment().put("KUBECONFIG", kubeconfig.toString());
        Process process = builder.start();
        CompletableFuture<String> errors = new CompletableFuture<>();
        Thread.ofVirtual().start(() -> errors.complete(text(process.getErrorStream())));
        process.getOutputStream().write(input.getBytes(StandardCharsets.UTF_8));
        process.getOutputStream().close();
        String output = text(process.getInputStream());
        return new Result(process.waitFor(), output, errors.join());
    }

    private static String text(InputStream in) {
        try (in) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            return "";
        }
    }
}
