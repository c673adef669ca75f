package dev.plainsail.epp.protocol;

import org.jspecify.annotations.Nullable;

/**
 * Streams that wait for something, in the order of their deadlines, which is the order in which they were put in because
 * all wait equally long. A list linked through its nodes: put, touch and remove cost a few writes, so a deadline for
 * every stream is nearly free. Used by one loop only.
 */
final class Deadlines {
    /** A place in the list; it belongs to one stream. */
    static final class Node {
        private final Runnable expired;
        private @Nullable Node before;
        private @Nullable Node after;
        private boolean listed;
        private long dueNanos;

        /** @param expired called once the deadline has passed; the node is out of the list then */
        Node(Runnable expired) {
            this.expired = expired;
        }
    }

    private final long waitNanos;
    private @Nullable Node head;
    private @Nullable Node tail;

    Deadlines(long waitNanos) {
        this.waitNanos = waitNanos;
    }

    boolean isEmpty() {
        return head == null;
    }

    /** Starts the node's wait, or starts it again. */
    void put(Node node, long nowNanos) {
        remove(node);
        node.dueNanos = nowNanos + waitNanos;
        node.before = tail;
        node.after = null;
        node.listed = true;
        if (tail == null) {
            head = node;
        } else {
            tail.after = node;
        }
        tail = node;
    }

    void remove(Node node) {
        if (!node.listed) {
            return;
        }
        node.listed = false;
        if (node.before == null) {
            head = node.after;
        } else {
            node.before.after = node.after;
        }
        if (node.after == null) {
            tail = node.before;
        } else {
            node.after.before = node.before;
        }
        node.before = null;
        node.after = null;
    }

    /** Lets all go whose deadline has passed. */
    void expire(long nowNanos) {
        while (head != null && head.dueNanos - nowNanos <= 0) {
            Node due = head;
            remove(due);
            due.expired.run();
        }
    }
}
