package project

import "strings"

// RemoteName returns the name of the repository at a git remote: the last part of
// its path, without .git. It is not normalised, and "" when there is none or when
// it cannot be told from credentials.
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

// SafeRemote returns remote without what may be a secret: user and password, query
// and fragment. A user alone stays where it says how to log in, as in git@host:path;
// with http it may be a token. It is "" when no part is sure to be harmless.
func SafeRemote(remote string) string {
	scheme, host, path := split(remote)
	if path == "" && host == "" {
		return ""
	}
	return scheme + host + path
}

// split takes a remote apart into what can be shown. scheme ends with "://" or is
// "", host ends with ":" where there is no scheme and is "" for a local path. All
// three are "" for what could hide a secret in the wrong place.
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
		// No host; ext::command, which may say anything; user:password@host without
		// its scheme.
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
		// A password may hold a slash that nobody encoded.
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
