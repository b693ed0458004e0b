import { call, type Task, task, type World } from '../world.ts';
import { fileCalls } from './file-calls.ts';

/** What people ask for in Chinese. */
export function chineseTasks(world: World): readonly Task[] {
  const { read, list, write, edit } = fileCalls(world);
  return [
    task(
      'zh-minutes',
      '请把 notes/会议记录.md 总结一下，写到 notes/总结.md。',
      read('notes/会议记录.md'),
      write('notes/总结.md', '# 总结\n\n发布推迟到 12 月 9 日；小博负责导出问题；周五不再发布。\n'),
      list('notes'),
    ),
    task(
      'zh-reply',
      '回复李伟的邮件，告诉他 12 月 9 日可以。',
      call('mail.search_messages', { query: '李伟' }),
      call('mail.read_message', { id: 'm4' }),
      call('mail.reply_to_message', { id: 'm4', body: '李伟你好：\n\n12 月 9 日可以。\n\nAda' }),
    ),
    task(
      'zh-arithmetic',
      '帮我算一下 12800 的 6.5% 是多少，再加上 320。',
      call('calc.math', { expression: '12800 * 0.065' }),
      call('calc.math', { expression: '832 + 320' }),
    ),
    task(
      'zh-guide',
      '打开 https://docs.example/zh.html，把安装步骤写进 notes/安装.md。',
      call('web.fetch_page', { url: 'https://docs.example/zh.html' }),
      write('notes/安装.md', '# 安装\n\n1. npm install widget\n2. 设置 WIDGET_TOKEN\n'),
    ),
    task(
      'zh-remember',
      '请记住：小博负责导出问题，周五不发布。',
      call('memory.create_entities', {
        entities: [{ name: '小博', entityType: '人', observations: ['负责导出问题'] }],
      }),
      call('memory.create_entities', {
        entities: [{ name: '发布规则', entityType: '规则', observations: ['周五不发布'] }],
      }),
      call('memory.search_nodes', { query: '小博' }),
    ),
    task(
      'zh-ticket',
      '给 SHOP-101 加一条评论：字体加载了两次，需要修复。',
      call('tickets.get_ticket', { ticket_id: 'SHOP-101' }),
      call('tickets.add_comment', { ticket_id: 'SHOP-101', comment: '字体加载了两次，需要修复。' }),
    ),
    task(
      'zh-event',
      '帮我在 11 月 27 日下午 3 点安排一个一小时的会议，主题是“发布计划”。',
      call('calendar.list_events', { from: '2026-11-27' }),
      call('calendar.create_event', { title: '发布计划', start: '2026-11-27T15:00', end: '2026-11-27T16:00' }),
    ),
    task(
      'zh-ideas',
      '在 notes/ideas.md 里加一条：支持中文界面。',
      read('notes/ideas.md'),
      edit('notes/ideas.md', ['3. Export to PDF', '3. Export to PDF\n4. 支持中文界面']),
      read('notes/ideas.md'),
    ),
  ];
}
