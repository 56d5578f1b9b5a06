package secret

import "slices"

// ours returns rules that gitleaks does not have.
func ours() []rule {
	return slices.Concat(passwords(), inNotes(), byPrefix(), apart(), []rule{
		// RFC 3986 §3.2.1: a password in a URL, except placeholders.
		{
			id: "url-password", regex: `\b[a-zA-Z][a-zA-Z0-9+.-]{1,20}://[^\s/:@"'<>]{0,80}:([^\s/:@"'<>]{3,200})@[\w.\[-]`, keywords: []string{"://"},
			allowed: []allowance{{regexes: []string{`^[$%{<*]`, `(?i)^(?:pass(?:word)?|pwd|secret|token|x+|your[\w-]*|\.+|user|guest|postgres|root|admin|test|example|changeme)$`, `^\[REDACTED`}}},
		},
		// RFC 9110 §11.6: credentials in a header.
		{
			id: "authorization-header", regex: `(?i)\bauthorization["']?\s{0,3}[:=]\s{0,3}["']?(?:bearer|basic|token|ssws|apikey)\s+([\w.~+/=-]{16,1000})`, entropy: 3, keywords: []string{"authorization"},
		},
	})
}
