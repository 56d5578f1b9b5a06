package grammar

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/alanbuscaglia/engram/internal/suspicion/finding"
)

// Abroad finds in scripts without spaces what override finds in others.
func Abroad(text string, found *finding.Findings) {
	if finding.ASCII(text) || !hasScript(text) {
		return
	}
	sentencesAbroad(text, found)
	const reach = 60 // bytes
	for _, w := range []string{"忽略", "无视", "無視", "忘记", "忘れ", "무시"} {
		for at := 0; ; {
			i := strings.Index(text[at:], w)
			if i < 0 {
				break
			}
			at += i
			around := text[max(0, at-reach):min(len(text), at+len(w)+reach)]
			at += len(w)
			if finding.AnyOf(around, "指令", "指示", "提示", "命令", "지시", "명령") && finding.AnyOf(around, "之前", "以前", "先前", "上面", "所有", "全部", "すべて", "これまで", "이전", "모든") {
				found.Add(finding.Override, "overrides the agent's earlier instructions", at-len(w), at)
				break
			}
		}
	}
	for _, w := range []string{"不要告诉用户", "不要告訴用戶", "别告诉用户", "不要让用户知道", "ユーザーに言わない", "ユーザーには言わない", "ユーザーに知らせない", "사용자에게 말하지"} {
		if i := strings.Index(text, w); i >= 0 {
			found.Add(finding.Secrecy, "asks not to tell the user", i, i+len(w))
		}
	}
}

// abroad is a rule for scripts without spaces: one word of each group is required.
type abroad struct {
	code string
	why  string
	all  [][]string // one word of each is required
	none []string
}

func abroads() []abroad {
	run := []string{"运行", "執行", "执行", "実行", "실행"}
	fetch := []string{"下载", "下載", "打开", "访问", "ダウンロード", "取得して", "다운로드", "내려받", "열어"}
	send := []string{"发送", "發送", "上传", "上傳", "提交到", "送信", "アップロード", "送って", "보내", "전송", "업로드"}
	secrets := []string{".env", "密码", "密碼", "密钥", "密鑰", "凭据", "令牌", "パスワード", "秘密鍵", "認証情報", "비밀번호", "비밀 키", "토큰", "자격 증명", "id_rsa", ".ssh"}
	address := []string{"http://", "https://", "ftp://"}
	unconfirmed := []string{"不用问", "不要询问", "无需确认", "不需要确认", "不必询问", "確認せず", "確認なし", "許可なく", "묻지 말고", "묻지 않고", "확인 없이", "허락 없이"}
	harm := append([]string{"删除", "刪除", "推送", "削除", "プッシュ", "삭제", "푸시", "部署", "デプロイ", "배포"}, run...)
	never := []string{"不要把", "不要将", "禁止", "绝不", "してはいけない", "しないでください", "하지 마", "금지"}
	return []abroad{
		{finding.Order, "asks to run or obey content from a URL", [][]string{address, fetch, run}, never},
		{finding.Exfil, "asks to put secrets where others can read them", [][]string{address, send, secrets}, never},
		{finding.Bypass, "asks to act without asking", [][]string{unconfirmed, harm}, nil},
		{finding.Override, "assigns the agent another role", [][]string{{"你现在是", "你現在是", "从现在起你是", "あなたは今から", "あなたはこれから", "너는 이제", "당신은 이제"}, {"管理员", "管理員", "不受", "没有限制", "沒有限制", "無制限", "制限のない", "管理者", "관리자", "제한 없는"}}, nil},
		{finding.Secrecy, "asks not to tell the user", [][]string{{"不要告诉", "不要告訴", "别告诉", "不要提及", "不让用户", "知らせずに", "伝えないで", "言わないで", "알리지 말", "말하지 말", "모르게"}, {"用户", "用戶", "任何人", "开发者", "ユーザー", "誰にも", "開発者", "사용자", "아무에게", "개발자"}}, nil},
	}
}

// sentencesAbroad checks each sentence.
func sentencesAbroad(text string, found *finding.Findings) {
	all := abroads()
	for from := 0; from < len(text); {
		to := len(text)
		if i := strings.IndexAny(text[from:], "。\n！"); i >= 0 {
			to = from + i
		}
		part := text[from:to]
		for _, a := range all {
			if !finding.AnyOf(part, a.none...) && !slices.ContainsFunc(a.all, func(words []string) bool { return !finding.AnyOf(part, words...) }) {
				found.Add(a.code, a.why, from, to)
			}
		}
		_, size := utf8.DecodeRuneInString(text[to:])
		from = to + max(1, size)
	}
}

func hasScript(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool {
		return unicode.In(r, unicode.Han, unicode.Hangul, unicode.Hiragana, unicode.Katakana)
	})
}
