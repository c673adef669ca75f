package dev.plainsail.dra;

import java.util.regex.Pattern;

/** Kubernetes' two kinds of object name, and qualified names, as the API server checks them. */
public final class DnsNames {

    private static final Pattern LABEL = Pattern.compile("[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?");
    private static final Pattern SUBDOMAIN =
            Pattern.compile("[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*");
    private static final Pattern IDENTIFIER = Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,31}");

    private DnsNames() {}

    /** RFC 1123 label: at most 63 of {@code a-z0-9-}, no dash at the ends. */
    public static boolean isLabel(String text) {
        return LABEL.matcher(text).matches();
    }

    /** RFC 1123 subdomain: labels joined by dots, at most 253 characters (the API does not bound each label here). */
    public static boolean isSubdomain(String text) {
        return text.length() <= 253 && SUBDOMAIN.matcher(text).matches();
    }

    /** {@code [domain/]identifier} of device attributes and capacities: domain at most 63, C identifier at most 32. */
    static boolean isQualifiedName(String text) {
        int slash = text.indexOf('/');
        if (slash < 0) {
            return IDENTIFIER.matcher(text).matches();
        }
        String domain = text.substring(0, slash);
        return domain.length() <= 63
                && isSubdomain(domain)
                && IDENTIFIER.matcher(text.substring(slash + 1)).matches();
    }
}
