# Saves a memory, whose content is given or comes through the pipeline:
#   remember.ps1 [-Type KIND] [-Topic KEY] [-Tags A,B] [-Scope WHOM] TITLE [CONTENT]
# or many, from JSON as engram ingest takes it (the pipeline when no file is named):
#   remember.ps1 -Batch [FILE]
[CmdletBinding()]
param(
    [Parameter(Position = 0)][string]$Title = '',
    [Parameter(Position = 1)][string]$Content = '',
    [string]$Type = 'discovery',
    [string]$Topic = '',
    [string[]]$Tags = @(),
    [string]$Scope = 'project',
    [switch]$Batch,
    [Parameter(ValueFromPipeline = $true)][string]$Line
)

begin {
    function Invoke-Engram { __ENGRAM_POWERSHELL__ @args }

    # JSON with every other character escaped: no code page on the way can change it.
    function ConvertTo-Ascii([string]$Text) {
        [regex]::Replace($Text, '[^\x00-\x7F]', { param($m) '\u{0:x4}' -f [int][char]$m.Value })
    }

    function Stop-Here([string]$Why) {
        [Console]::Error.WriteLine("remember: $Why")
        exit 2
    }

    try { [Console]::OutputEncoding = New-Object System.Text.UTF8Encoding $false } catch { }
    $lines = New-Object System.Collections.Generic.List[string]
}

process {
    if ($PSBoundParameters.ContainsKey('Line')) { $lines.Add($Line) }
}

end {
    $global:LASTEXITCODE = $null
    $off = Invoke-Engram off --check
    if ($null -eq $LASTEXITCODE) { Stop-Here 'Engram cannot be run: go on without memory' }
    if ($LASTEXITCODE -eq 0) {
        $off
        'Nothing was saved. Go on without it, and do not switch it on.'
        exit 0
    }
    $text = if ($Content) { $Content } else { $lines -join "`n" }
    if ($Batch) {
        if ($Title) {
            Invoke-Engram ingest --origin=agent '--' $Title
        } else {
            ConvertTo-Ascii $text | __ENGRAM_POWERSHELL__ ingest --origin=agent -
        }
        exit $LASTEXITCODE
    }
    if (-not $Title -or -not $text) { Stop-Here 'a title and a content, each in quotes' }
    # By JSON and not by arguments: Windows PowerShell loses quotes that stand in those.
    $memory = @{ title = $Title; content = $text; type = $Type; scope = $Scope }
    if ($Topic) { $memory.topic_key = $Topic }
    if ($Tags.Count -gt 0) { $memory.tags = @($Tags | ForEach-Object { $_ -split ',' } | Where-Object { $_ }) }
    ConvertTo-Ascii (ConvertTo-Json $memory -Compress) | __ENGRAM_POWERSHELL__ ingest --origin=agent -
    exit $LASTEXITCODE
}
