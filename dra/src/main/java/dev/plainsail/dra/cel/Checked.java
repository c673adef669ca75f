package dev.plainsail.dra.cel;

/** What compiling an expression tells. */
public sealed interface Checked {

    /** Compiled; it may still fail on a device, since attribute types are only known then. */
    record Usable(DeviceExpression expression) implements Checked {}

    /**
     * Compiled, but it holds what can make values far bigger than its text ({@code replace}, {@code map}, sums in nested
     * {@code cel.bind} ...). The API server counts what that costs and ends it; we have no such count, and so do not evaluate it.
     */
    record Untried() implements Checked {}

    /** Every API server will refuse it. */
    record Wrong(String message) implements Checked {}

    /** We cannot judge it: it may use what another version of Kubernetes has. */
    record Unsure(String message) implements Checked {}
}
