package dev.plainsail.epp.protocol;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The open calls of one loop, in a list linked through them: entering and leaving costs a few writes. */
final class Calls {
    private @Nullable ExtProcCall head;
    private int count;

    void add(ExtProcCall call) {
        call.after = head;
        if (head != null) {
            head.before = call;
        }
        head = call;
        count++;
    }

    void remove(ExtProcCall call) {
        ExtProcCall before = call.before;
        ExtProcCall after = call.after;
        if (before == null && head != call) {
            return;
        }
        if (before == null) {
            head = after;
        } else {
            before.after = after;
        }
        if (after != null) {
            after.before = before;
        }
        call.before = null;
        call.after = null;
        count--;
    }

    int count() {
        return count;
    }

    List<ExtProcCall> all() {
        List<ExtProcCall> all = new ArrayList<>();
        for (ExtProcCall call = head; call != null; call = call.after) {
            all.add(call);
        }
        return all;
    }
}
