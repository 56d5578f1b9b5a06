package text

import "unicode/utf8"

// Tokens estimates what s costs in the context of a language model: its characters
// divided by four, rounded up. It is a rule of thumb for English and code; scripts
// without spaces cost more than it says. 0 for "".
//
// Cutting a text in two never makes it cheaper: Tokens(a+b) <= Tokens(a)+Tokens(b).
func Tokens(s string) int { return (utf8.RuneCountInString(s) + 3) / 4 }
