package dev.plainsail.webhook.planner;

import dev.plainsail.webhook.engine.KnownImage;
import dev.plainsail.webhook.plan.Annotations;
import dev.plainsail.webhook.plan.Caution;
import dev.plainsail.webhook.plan.Change;
import dev.plainsail.webhook.plan.Intent.Asked;
import dev.plainsail.webhook.plan.Intent.Devices;
import dev.plainsail.webhook.plan.Intent.LibraryPath;
import dev.plainsail.webhook.plan.Planner;
import dev.plainsail.webhook.plan.Problems;
import dev.plainsail.webhook.plan.ShellQuote;
import dev.plainsail.webhook.plan.Subject;
import dev.plainsail.webhook.workload.CommandLine;
import dev.plainsail.webhook.workload.ContainerView;
import dev.plainsail.webhook.workload.ContainerView.Variable;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * LIBRARY_PATH, where the linker finds {@code libcuda.so.1} when something is compiled at run time: the driver's folders in
 * front, everything that was there behind. A variable of the pod hides the image's own, so each source of that own value has
 * its way here, and where none holds, nothing is written.
 */
final class LibraryPathPlanner implements Planner {

    static final String NAME = "LIBRARY_PATH";

    @Override
    public List<Change> plan(Subject subject, Problems problems) {
        List<String> directories = directories(subject);
        if (directories.isEmpty() || subject.main().isEmpty() || isOnlySupposed(subject)) {
            return List.of();
        }
        ContainerView container = subject.main().get();
        Optional<Variable> own = container.variable(NAME);
        if (own.isPresent()) {
            return prepend(container, own.get(), directories, problems);
        }
        if (container.hasEnvFrom()) {
            return add(container, joined(directories, List.of("$(" + NAME + ")")));
        }
        Optional<KnownImage> image = KnownImage.find(subject.settings().knownImages(), container.image());
        if (image.isPresent()) {
            return add(container, joined(directories, parts(image.get().libraryPath())));
        }
        return wrap(container, directories, problems);
    }

    /** {@code inject: "true"} on a pod that has neither an engine nor a claim of ours. */
    private static boolean isOnlySupposed(Subject subject) {
        return subject.intent()
                        .libraryPath()
                        .filter(asked -> asked.written().path().endsWith("[" + Annotations.Input.INJECT.key() + "]"))
                        .isPresent()
                && subject.engine().isEmpty()
                && subject.intent().claim().isEmpty()
                && AutoClaim.classOf(subject).isEmpty();
    }

    private static List<String> directories(Subject subject) {
        Optional<LibraryPath> asked = subject.intent().libraryPath().map(Asked::value);
        if (asked.isPresent()) {
            return switch (asked.get()) {
                case LibraryPath.Off off -> List.of();
                case LibraryPath.These these -> these.directories();
                case LibraryPath.Auto auto -> subject.settings().driverDirectories();
            };
        }
        boolean isNvidia = subject.intent()
                .devices()
                .map(Asked::value)
                .filter(devices -> devices instanceof Devices.These these
                        && these.claim().classes().stream().anyMatch(subject.settings()::bringsLibraryPath))
                .isPresent();
        return isNvidia || convertedClass(subject) ? subject.settings().driverDirectories() : List.of();
    }

    /** {@code auto} made or will make a claim of such a class. */
    private static boolean convertedClass(Subject subject) {
        boolean isAuto = subject.intent()
                .devices()
                .map(Asked::value)
                .filter(devices -> devices instanceof Devices.Auto)
                .isPresent();
        if (!isAuto) {
            return false;
        }
        return AutoClaim.classOf(subject)
                .filter(subject.settings()::bringsLibraryPath)
                .isPresent();
    }

    private static List<Change> prepend(
            ContainerView container, Variable own, List<String> directories, Problems problems) {
        String path = container.path() + ".env[" + own.index() + "]";
        if (own.isFromElsewhere()) {
            problems.warnField(
                    Caution.LIBRARY_PATH_FROM_ELSEWHERE,
                    path,
                    "LIBRARY_PATH comes from elsewhere and is left alone; put " + String.join(":", directories)
                            + " in front of it there, so that libcuda.so.1 is found when kernels are compiled");
            return List.of();
        }
        String value = joined(directories, parts(own.value()));
        return value.equals(own.value())
                ? List.of()
                : List.of(new Change.PrependPath(container.place(), own.index(), NAME, value));
    }

    private static List<Change> add(ContainerView container, String value) {
        return List.of(new Change.AddVariable(container.place(), NAME, new Change.AddVariable.Value.Text(value)));
    }

    private static List<Change> wrap(ContainerView container, List<String> directories, Problems problems) {
        Optional<String> shell = CommandLine.shellOf(container).filter(word -> !word.endsWith("zsh"));
        if (shell.isEmpty()) {
            problems.warnField(
                    Caution.LIBRARY_PATH_UNKNOWN,
                    container.path(),
                    "LIBRARY_PATH is not set, because the image's own value is not known and a variable here would hide it; if kernels"
                            + " fail to link libcuda.so.1, add env LIBRARY_PATH with the image's value, or put the image into the settings'"
                            + " known-images");
            return List.of();
        }
        String script = script(directories);
        return container.command().contains(script)
                ? List.of()
                : List.of(new Change.WrapCommand(container.place(), shell.get(), script));
    }

    /** POSIX sh that puts the folders in front of what the image set, without empty parts, and runs the words behind it. */
    static String script(List<String> directories) {
        return "set -f; IFS=:; _rest=; for _part in $LIBRARY_PATH; do _rest=$_rest${_part:+:$_part}; done; unset IFS; set +f; "
                + "export LIBRARY_PATH=" + ShellQuote.quoted(String.join(":", directories))
                + "\"$_rest\"; unset _rest _part; "
                + "exec \"$0\" \"$@\"";
    }

    private static List<String> parts(String path) {
        return List.of(path.split(":")).stream().filter(part -> !part.isEmpty()).toList();
    }

    private static String joined(List<String> first, List<String> rest) {
        List<String> all = new ArrayList<>(first);
        rest.stream().filter(part -> !first.contains(part)).forEach(all::add);
        return String.join(":", all);
    }
}
