package suspicion

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// foreign finds, in scripts that put no spaces between words, what override finds in others.
func foreign(text string, found *findings) {
	if ascii(text) || !hasScript(text) {
		return
	}
	for _, w := range []string{"忽略", "无视", "無視", "忘记", "忘れ", "무시"} {
		for at := 0; ; {
			i := strings.Index(text[at:], w)
			if i < 0 {
				break
			}
			at += i
			around := text[back(text, at, 60):forth(text, at+len(w), 60)]
			at += len(w)
			if anyOf(around, "指令", "指示", "提示", "命令", "지시", "명령") && anyOf(around, "之前", "以前", "先前", "上面", "所有", "全部", "すべて", "これまで", "이전", "모든") {
				found.add(Override, "it sets aside what the agent was told", at-len(w), at)
				break
			}
		}
	}
	for _, w := range []string{"不要告诉用户", "不要告訴用戶", "别告诉用户", "不要让用户知道", "ユーザーに言わない", "ユーザーには言わない", "ユーザーに知らせない", "사용자에게 말하지"} {
		if i := strings.Index(text, w); i >= 0 {
			found.add(Secrecy, "the person is not to be told", i, i+len(w))
		}
	}
}

func hasScript(text string) bool {
	for _, r := range text {
		if unicode.In(r, unicode.Han, unicode.Hangul, unicode.Hiragana, unicode.Katakana) {
			return true
		}
	}
	return false
}

func anyOf(text string, words ...string) bool {
	for _, w := range words {
		if strings.Contains(text, w) {
			return true
		}
	}
	return false
}

// back is at most n bytes before at, at the beginning of a character.
func back(text string, at, n int) int {
	i := max(0, at-n)
	for i < at && !utf8.RuneStart(text[i]) {
		i++
	}
	return i
}

// forth is at most n bytes behind at, at the beginning of a character.
func forth(text string, at, n int) int {
	i := min(len(text), at+n)
	for i > at && i < len(text) && !utf8.RuneStart(text[i]) {
		i--
	}
	return i
}
