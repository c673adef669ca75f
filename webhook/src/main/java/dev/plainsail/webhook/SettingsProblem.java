package dev.plainsail.webhook;

/** Something wrong with one setting: its key, what stands there, what to write instead. */
record SettingsProblem(String key, String value, String detail) {
    String line() {
        return value.isEmpty() ? key + ": " + detail : key + ": \"" + value + "\": " + detail;
    }
}
