package dev.plainsail.webhook.plan;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * What planning one pod finds wrong or doubtful, collected in the order found, each once. Not for several threads.
 * Paths inside the pod get the prefix of the template that the pod comes from.
 */
public final class Problems {

    private final String prefix;
    private final Set<Problem> problems = new LinkedHashSet<>();
    private final Set<Warning> warnings = new LinkedHashSet<>();

    /** @param prefix as {@code spec.template.}; empty for a pod */
    public Problems(String prefix) {
        this.prefix = prefix;
    }

    /** About what the user wrote in an annotation, whose path is already full. */
    public void refuse(Reason reason, Written written, String detail) {
        refuse(reason, written, written.value(), detail);
    }

    /** About a piece of what the user wrote in an annotation. */
    public void refuse(Reason reason, Written written, String badValue, String detail) {
        problems.add(new Problem(reason, written.path(), badValue, detail));
    }

    /** About a field of the pod, as {@code spec.containers[0].resources}. */
    public void refuseField(Reason reason, String path, String badValue, String detail) {
        problems.add(new Problem(reason, prefix + path, badValue, detail));
    }

    public void warn(Caution caution, Written written, String text) {
        warnings.add(new Warning(caution, written.path(), text));
    }

    public void warnField(Caution caution, String path, String text) {
        warnings.add(new Warning(caution, prefix + path, text));
    }

    public void add(Problem problem) {
        problems.add(problem);
    }

    public void add(Warning warning) {
        warnings.add(warning);
    }

    public boolean isClean() {
        return problems.isEmpty();
    }

    public List<Problem> problems() {
        return new ArrayList<>(problems);
    }

    public List<Warning> warnings() {
        return new ArrayList<>(warnings);
    }
}
