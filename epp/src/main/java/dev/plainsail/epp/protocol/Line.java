package dev.plainsail.epp.protocol;

/** The way back to the proxy, for one stream. Called on the stream's own loop only, but for {@link #execute}. */
interface Line {
    /** Sends an answer; it is written out before this returns, so its buffers may be used again. */
    void send(Answer answer);

    /** Whether more can be sent without piling up; when it becomes true again, the stream's {@code onReady} is called. */
    boolean isReady();

    /** Ends the stream well. */
    void close();

    /** Ends the stream because the proxy broke the protocol. */
    void refuse(String problem);

    /** Runs a task on the stream's loop, later; from any thread. */
    void execute(Runnable task);

    /** Whether this is the stream's own loop. */
    boolean inLoop();
}
