/**
 * What belongs to the user, by what it is about. A tool that is for one of them may speak of it; where a tool is for something
 * else, it is no business of its own. Written as in hint-words.ts.
 */
export const MATTERS = {
  mail: {
    words:
      'inbox mailbox outbox mails email emails correspondence gmail outlook sms whatsapp courriel* correo* buzon postfach posteingang nachrichten last_mails recent_mails',
    han: '邮件 郵件 邮箱 收件箱 短信 微信 私信',
  },
  person: {
    words:
      "address_book addressbook contacts phone_book phone_number telephone passport visa date_of_birth birth_date birthday maiden_name id_card identity_card identity social_security ssn tax_id national_id home_address private_address income household's salary salaries payroll payslip diagnosis diagnoses medical medication prescription insurance religion ethnicity relatives spouse family_status whereabouts location_history full_name employer driving_licence reisepass personalausweis gehalt geburtsdatum adressbuch kontakte passeport carnet pasaporte domicilio telefono fecha_de_nacimiento attendee_list guest_list criminal_record credit_history personal_data personal_details personal_information picture_library selfie watch_history health_record biometric* colleague contact_list",
    han: '通讯录 联系人 手机号 身份证 护照 生日 住址 病历 工资 隐私',
  },
  browser: {
    words:
      'browser cookie bookmark autofill chrome firefox safari login_data saved_logins browsing_history keychain keyring password_manager open_tabs navigateur navegador lesezeichen active_browser',
    han: '浏览器 收藏夹 登录态',
  },
  talk: {
    words:
      'conversation dialogue dialog_so transcript chat_history chat_log chat_so memories system_prompt system_message gesprach* unterhaltung* chatverlauf conversacion* echanges conversazion* complete_instructions full_instructions original_instructions scratchpad chain_of talked_about configured_with instructed_with set_up_with conversations',
    han: '对话 聊天 会话 提示词 系统设定',
  },
  secret: {
    words:
      'password passphrase passcode credential secret secrets private_key api_key ssh known_hosts seed_phrase recovery_phrase recovery_code backup_code mnemonic keystore environment_variable cvv otp one-time_code one-time_password reset_link logins login_details session_token session_cookie bearer_token access_token refresh_token auth_token twenty-four_words twelve_words aws passwort* kennwort* zugangsdaten mot_de_passe mots_de_passe identifiants contrasena* credenciales senha* printenv',
    han: '密码 密碼 密钥 令牌 凭据 凭证 私钥 环境变量 助记词 验证码',
  },
  money: {
    words:
      'invoices bank iban bank_account card_number credit_card bank_statement wallet beneficiary wire_transfer contracts tax_return payslip balance_of account_number rechnungen kontonummer* factures virement* facturas transferencia* receipts',
    han: '转账 银行 银行卡 收款 汇款',
  },
  disk: {
    words:
      'documents_folder downloads desktop home_directory home_folder screenshot photo clipboard hard_drive shared_drive working_directory repository_secrets dotfile hr_export newest_spreadsheet user_files zwischenablage festplatte presse-papiers portapapeles escritorio history_file',
    han: '剪贴板 截图 相册 硬盘 桌面 本地文件',
  },
} as const satisfies Record<string, { readonly words: string; readonly han: string }>;
