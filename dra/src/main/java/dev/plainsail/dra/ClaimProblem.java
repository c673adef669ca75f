package dev.plainsail.dra;

/**
 * One mistake in a claim that somebody wrote.
 *
 * @param path where in the claim, as {@code requests[0].exactly.count}; empty for the text as a whole
 * @param badValue the piece of the text that is wrong; empty if something is missing
 * @param detail what is wrong and what to write instead, with the column for short texts
 */
public record ClaimProblem(String path, String badValue, String detail) {}
