package project

import "strings"

// RemoteName returns the name of the repository at a git remote: the last part of its path, without
// .git. It is not normalized, and "" if missing or if it may contain credentials.
//
// It reads scheme://host/path, host:path and plain paths.
func RemoteName(remote string) string {
	_, _, path := split(remote)
	path = strings.TrimRight(path, `/\`)
	if part := lastPart(path); part == ".git" {
		path = strings.TrimSuffix(path, part) // the folder around it has the name
	}
	name := strings.TrimSuffix(lastPart(path), ".git")
	if name == "." || name == ".." || strings.Contains(name, "@") {
		return ""
	}
	return name
}

// SafeRemote returns remote without possible secrets: user and password, query and fragment. A user
// alone stays if it is part of how to log in, as in git@host:path; with http it may be a token. It
// is "" if no part is certain to be harmless.
func SafeRemote(remote string) string {
	scheme, host, path := split(remote)
	if path == "" && host == "" {
		return ""
	}
	return scheme + host + path
}

// split splits a remote into parts safe to show. scheme ends with "://" or is "", host ends with
// ":" without a scheme and is "" for a local path. All three are "" if a secret could be in the
// wrong place.
func split(remote string) (scheme, host, path string) {
	remote = strings.TrimSpace(remote)
	if before, rest, ok := strings.Cut(remote, "://"); ok {
		return splitURL(before+"://", rest)
	}
	if strings.HasPrefix(remote, "/") || strings.HasPrefix(remote, ".") || hasDrive(remote) {
		return "", "", remote
	}
	remote, _, _ = strings.Cut(remote, "?")
	remote = strings.TrimSpace(remote)
	host, path, ok := strings.Cut(remote, ":")
	if !ok || strings.ContainsAny(host, `/\`) {
		host, path = "", remote // a path relative to the repository
	} else {
		host += ":"
	}
	if host == ":" || strings.HasPrefix(path, ":") || strings.Contains(path, "@") {
		// No host; ext::command, which may contain anything; user:password@host without a scheme.
		return "", "", ""
	}
	return "", host, path
}

func splitURL(scheme, rest string) (string, string, string) {
	rest, _, _ = strings.Cut(rest, "?")
	rest, _, _ = strings.Cut(rest, "#")
	host, path := rest, ""
	if i := strings.IndexByte(rest, '/'); i >= 0 {
		host, path = rest[:i], rest[i:]
	}
	if i := strings.LastIndexByte(path, '@'); i >= 0 && strings.Contains(host, ":") {
		// An unescaped slash may be part of a password.
		return "", "", ""
	}
	if i := strings.LastIndexByte(host, '@'); i >= 0 {
		user := host[:i]
		host = host[i+1:]
		if !strings.Contains(user, ":") && !strings.HasPrefix(strings.ToLower(scheme), "http") {
			host = user + "@" + host
		}
	}
	return scheme, host, path
}

// hasDrive reports a Windows path such as C:\repositories\app.
func hasDrive(s string) bool {
	return len(s) > 2 && s[1] == ':' && (s[2] == '\\' || s[2] == '/')
}
