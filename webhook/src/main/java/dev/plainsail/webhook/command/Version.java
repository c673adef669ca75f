package dev.plainsail.webhook.command;

import java.util.Optional;
import picocli.CommandLine.IVersionProvider;

/** Which build this is, as its jar says. */
final class Version implements IVersionProvider {

    static String text() {
        return Optional.ofNullable(Version.class.getPackage().getImplementationVersion())
                .orElse("(built from source)");
    }

    @Override
    public String[] getVersion() {
        return new String[] {"plainsail " + text()};
    }
}
