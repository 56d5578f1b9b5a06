# Tells what a new session should know of a project: session-start.ps1 [FOLDER]
# FOLDER is the folder that is worked in, this one if it is left out.
param([string]$Folder = '.')

function Invoke-Engram { __ENGRAM_POWERSHELL__ @args }

# What a program prints is UTF-8; Windows PowerShell would read it as the console's code page.
try { [Console]::OutputEncoding = New-Object System.Text.UTF8Encoding $false } catch { }

function Stop-Here([string]$Why) {
    [Console]::Error.WriteLine("$Why`: go on without memory.")
    exit 0
}

try { Push-Location -LiteralPath $Folder -ErrorAction Stop } catch { Stop-Here 'There is no such folder' }
try {
    $off = Invoke-Engram off --check
    if ($LASTEXITCODE -eq 0) {
        $off
        'Nothing is remembered here. Go on without it, and do not switch it on.'
        exit 0
    }
    Invoke-Engram context
    exit $LASTEXITCODE
} catch {
    Stop-Here 'Engram cannot be run'
} finally {
    Pop-Location
}
