package project

import "strings"

// RemoteIdentity returns the name of the repository at a git remote that is the same for every
// clone and protocol: host and path in lower case, without scheme, user, port and ".git", such as
// "example.com/owner/name". It is "" for a local folder and for what SafeRemote does not show.
func RemoteIdentity(remote string) string {
	scheme, host, path := split(remote)
	switch {
	case host == "" || strings.EqualFold(scheme, "file://"):
		return ""
	case scheme == "":
		host = strings.TrimSuffix(host, ":")
	}
	if at := strings.LastIndexByte(host, '@'); at >= 0 {
		host = host[at+1:]
	}
	if name, port, found := strings.Cut(host, ":"); found && strings.Trim(port, "0123456789") == "" {
		host = name
	}
	path = strings.TrimSuffix(strings.Trim(path, "/"), ".git")
	if path = strings.Trim(path, "/"); host == "" || path == "" {
		return ""
	}
	return strings.ToLower(host + "/" + path)
}
